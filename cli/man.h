// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The man page of the command.

#pragma once

// Prints souple.1 to stdout
void spWriteManPage(void);

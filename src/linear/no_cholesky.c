// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What stands in for the complete Cholesky factor in builds without CHOLMOD.

#include "linear/preconditioner.h"

static spPreconditioner* spRefuseCholesky(const spPreconditionerDef* def, spError* error)
{
    SP_UNUSED(def);
    spFail(error, sp_errorUnsupported,
           "this build has no complete Cholesky factor; install CHOLMOD (Debian: libsuitesparse-dev) and "
           "configure with -DSOUPLE_CHOLMOD=ON, or use another preconditioner");
    return NULL;
}

const spPreconditionerKind spCholeskyKind = {
    .name = "cholesky",
    .create = spRefuseCholesky,
};

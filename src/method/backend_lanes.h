// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The backend of the CPU for SP_LANES lanes. Included once per width by backend<n>.c, which is compiled for
// the processor level that has them.

#include "linear/linear_lanes.h"
#include "linear/node_loops.h"

#include "method/method.h"

const spBackend SP_LANES_NAME(spBackend) = {
    .name = "cpu",
    .laneCount = SP_LANES,

    .allocate = spAllocateArray,
    .release = spReleaseArray,
    .upload = spCopyAcross,
    .download = spCopyAcross,
    .gather = spGatherListed,
    .scatter = spScatterListed,
    .copy = spCopyNodes,
    .clear = spClearNodes,
    .isFinite = spAreNodesFinite,

    .drift = spDriftNodes,
    .kickDrift = spKickDriftNodes,
    .driftKick = spDriftKickNodes,
    .rungeStage = spRungeStageNodes,
    .rungeFinish = spRungeFinishNodes,
    .kick = spKickNodes,
    .kickSolve = spKickSolveNodes,
    .filterDrift = spFilterDriftNodes,
    .takeRotation = spTakeRotationFromNodes,
    .sumRotation = spSumRotationOfNodes,

    .dot = spDotNodes,
    .addScaled = spAddScaledNodes,

    .sumSlots = spSumSlots,
    .multiply = spMultiplyPairs,
    .collect = spCollectPairs,
    .sumTurns = spSumTurns,
    .findTurns = spFindTurns,
    .finishProduct = spFinishProduct,
    .stepResidual = spStepResidual,
    .applyLocal = spApplyLocal,
    .advanceDirection = spAdvanceDirection,

    .advance = spAdvanceByMethod,
};

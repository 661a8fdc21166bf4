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
    .clearMatrices = spClearMatrices,
    .isFinite = spAreNodesFinite,
    .isZero = spAreNodesZero,

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
    .invertShifted = spInvertShiftedNodes,
    .findMean = spFindMeanOfNodes,
    .maxDistance2 = spMaxDistance2OfNodes,

    .startForces = spStartForcesOfNodes,
    .sumListed = spSumListed,
    .sumKinetic = spSumKineticOfNodes,
    .addWeight = spAddWeightOfNodes,
    .addInertia = spAddInertiaOfNodes,
    .roundCoordinates = spRoundCoordinatesOfNodes,

    .addLocalStiffness = spAddLocalStiffness,
    .maxEigenvalue = spMaxEigenvalueOfNodes,
    .boundFrequencies = spBoundFrequenciesOfNodes,
    .startModes = spStartModesOfNodes,
    .continueModes = spContinueModesOfNodes,
    .findImage = spFindImageOfNodes,
    .relaxImage = spRelaxImageOfNodes,
    .massNorm2 = spMassNorm2OfNodes,

    .growMasses = spGrowMassesOfNodes,
    .raiseMasses = spRaiseMassesOfNodes,
    .sumQuotient = spSumQuotientOfNodes,
    .startProbe = spStartProbeOfNodes,
    .stepProbe = spStepProbeOfNodes,
    .sumForces = spSumForcesOfNodes,
    .relaxStep = spRelaxStepOfNodes,
    .stop = spStopNodes,

    .setMassBlocks = spSetMassBlocksOfNodes,
    .kickBlocks = spKickBlocksOfNodes,
    .predict = spPredictNodes,
    .findVelocity = spFindVelocityOfNodes,
    .push = spPushNodes,
    .sumPins = spSumPinsOfNodes,
    .sumGradient = spSumGradientOfNodes,
    .primalResidual2 = spPrimalResidual2OfNodes,
    .massDistance2 = spMassDistance2OfNodes,

    .copyNumbers = spCopyNumbers,
    .clearNumbers = spClearNumbers,
    .dotNumbers = spDotNumbers,
    .subtractNumbers = spSubtractNumbers,
    .mixNumbers = spMixNumbers,
    .relaxNumbers = spRelaxNumbers,
    .relaxIncrease = spRelaxIncrease,
    .addIncrease = spAddIncrease,
    .takeSample = spTakeSample,
    .moveOfSample = spMoveOfSample,
    .moveOfNodes = spMoveOfNodes,
    .sumMoves = spSumMovesOfNodes,

    .dot = spDotNodes,
    .addScaled = spAddScaledNodes,
    .scale = spScaleNodes,
    .scaleDifference = spScaleDifferenceOfNodes,

    .sumSlots = spSumSlots,
    .multiply = spMultiplyPairs,
    .collect = spCollectPairs,
    .sumTurns = spSumTurns,
    .findTurns = spFindTurns,
    .setOwn = spSetOwnOfNodes,
    .invertLocal = spInvertLocalOfNodes,
    .scaleTwo = spScaleTwoNodes,
    .finishProduct = spFinishProduct,
    .stepResidual = spStepResidual,
    .applyLocal = spApplyLocal,
    .project = spProjectNodes,
    .rotate = spRotateNodes,
    .rotateBack = spRotateNodesBack,
    .advanceDirection = spAdvanceDirection,

    .advance = spAdvanceByMethod,
};

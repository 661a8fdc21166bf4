// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What stands beside the numbers of `souple reproduce`: to which row of docs/seeds.md each belongs, and for
// those that are unlike what was published, why. A row that differs and has no reason here fails
// test_cli_truth.c.

#include "reproduce.h"

#include <string.h>

// The first entry that fits counts. Part and quantity are words that the heading and the row contain; NULL
// fits all.
typedef struct spKnownRow
{
    const char* experiment;
    const char* part;
    const char* quantity;
    const char* seed;
    const char* why; // should it differ; NULL: nothing is known that could make it
} spKnownRow;

#define SP_WHY_LANES                                                                                         \
    "springs run in 16 lanes here, which makes the lattice cheap; the area inside the ring is summed in "    \
    "double"
#define SP_WHY_FILTER                                                                                        \
    "springs run in 16 lanes here, 1.8 ns each, a neighbour of the filter takes 0.4 ns: the same filter is " \
    "a "                                                                                                     \
    "larger share of a cheaper step"
#define SP_WHY_GREEN                                                                                         \
    "the printed constants give other frequencies than the printed ones, here and in an independent "        \
    "program; "                                                                                              \
    "0.6 of them give the printed ones"
#define SP_WHY_ORDER                                                                                         \
    "stiff bodies depend on the order of the sweep: ours leaves lanes and threads something to do, the "     \
    "reference program sweeps in the order of the mesh"
#define SP_WHY_MIXING                                                                                        \
    "our plain sweep costs 25 times less than that of the thesis, so that mixing is a larger share"
#define SP_WHY_CLOCK "wall clock: other programs on the machine are in it"
#define SP_WHY_CACHE "processor time: what other programs leave of caches and memory is in it"

#define SP_WHY_GPU "the images of the thesis were made by a GPU; ours are made by one thread"
#define SP_WHY_PAIRS                                                                                         \
    "the images of the thesis were made by a GPU, one for a scene; here each pair has images of its own, "   \
    "for "                                                                                                   \
    "which all triangles of both are looked at"

static const spKnownRow s_known[] = {
    {"slides", "Largest step", NULL, "S2", NULL},
    {"slides", "Return to rest", NULL, "S4", NULL},
    {"slides", "Repulsive ground", NULL, "S5", NULL},
    {"slides", "Backtracking", NULL, "S6", NULL},
    {"slides", NULL, "frames computed", "S13", SP_WHY_CACHE},
    {"slides", "gas-filled ring", NULL, "S12", SP_WHY_LANES},
    {"slides", "icosphere of the same height", NULL, "S12", SP_WHY_LANES},
    {"slides", "fall 0.2 m", NULL, "S15", NULL},

    {"filter", "1.25 times", "random triangles", "A12", NULL},
    {"filter", "1.25 times", NULL, "A6", NULL},
    {"filter", NULL, "most over all", "A6",
     "twice the step is reached by no kernel, reading or width that the paper leaves open"},
    {"filter", NULL, "error of the predicted step", "A5", NULL},
    {"filter", "Largest stable step", NULL, "A6", NULL},
    {"filter", "spring dampers", NULL, "A6", NULL},
    {"filter", NULL, "free fall", "A3", NULL},
    {"filter", "left of the motion", NULL, "A9", NULL},
    {"filter", NULL, "cost of the filter", "A7", SP_WHY_FILTER},
    {"filter", NULL, "time saved", "A7", SP_WHY_FILTER},
    {"filter", "against k0", NULL, "A7", NULL},
    {"filter", NULL, NULL, "A11", NULL},

    {"operators", "Hybrid", "spread", "D-F20",
     "linear tets with lumped masses swing slower on coarse meshes: on grids of 2, 4 and 8 cells 4.06, 4.15 "
     "and 4.18 Hz, an error that falls with the square of the cell. Time step, corner, orientation and "
     "diagonals do not matter; the meshes of the thesis are not published"},
    {"operators", "Hybrid", NULL, "D-F20", NULL},
    {"operators", "as printed", NULL, "D-F21", SP_WHY_GREEN},
    {"operators", "Green-Lagrange", NULL, "D-F21", NULL},
    {"operators", "Cauchy", NULL, "D-F21", NULL},
    {"operators", "Springs", NULL, "D-F22", NULL},
    {"operators", "Cost", NULL, "D-F3", SP_WHY_CACHE},

    {"multires", "Rod", "by error: tip", "D-F12",
     "where meshes nest, vertices lie midway between coarser ones, and masses of a level lie beside where "
     "they were: "
     "the "
     "levels alone, as bodies of their own, are nearer"},
    {"multires", "Rod", "as published", "D-F12",
     "linear tets bend right with several of them across the rod only: its held end is divided to the last "
     "node"},
    {"multires", "Rod", "processor time", "D-F12",
     "a body of a thousand tets steps in a few microseconds: filling in its nodes takes as long as its "
     "elements"},
    {"multires", "Rod", NULL, "D-F12", NULL},
    {"multires", "Cube", "57 points at the wall", "D-F29",
     "meshes of 57 and of 125 points are nearly alike, with edges of 33 and 25 mm: their border is stiffer "
     "than either, "
     "by 2 %"},
    {"multires", "Cube", NULL, "D-F29", NULL},
    {"multires", "Free bar", "energy at most over", "D-F27",
     "the energy of an explicit method swings with the square of the step, here by 1.7 % at 0.8 of the "
     "stable one; it "
     "does not drift"},
    {"multires", "Free bar", NULL, "D-F27", NULL},

    {"preconditioner", NULL, "9.81", "C1-F46",
     "under the whole of gravity the soft end folds under the rest: more than a factor four steps old knows"},
    {"preconditioner", NULL, "1000 kPa everywhere", "C1-F46", NULL},
    {"preconditioner", NULL, "assembly in the step", "C1-F42", NULL},
    {"preconditioner", "Preconditioners", NULL, "C1-F24",
     "in single precision the residual asked for is 1e-4, not 1e-7: fewer iterations get there"},
    {"preconditioner", "Sizes", "factor", "C1-F41", NULL},
    {"preconditioner", "Sizes", NULL, "C1-F41",
     "steps that are faster than those of the thesis use a factor for more of them"},
    {"preconditioner", "Age", NULL, "C1-F43", NULL},
    {"preconditioner", "When to make", "rest", "C1-F38", NULL},
    {"preconditioner", "When to make", "risen", "C1-F38", NULL},
    {"preconditioner", "When to make", "   iterations", "C1-F38", NULL},
    {"preconditioner", "When to make", "oldest", "C1-F40", NULL},
    {"preconditioner", "When to make", "   ", "C1-F39", SP_WHY_CLOCK},
    {"preconditioner", "When to make", "hand-overs", "C1-F39", SP_WHY_CLOCK},
    {"preconditioner", "When to make", "waited", "C1-F39", NULL},
    {"preconditioner", "When to make", NULL, "C1-F37", NULL},
    {"preconditioner", "Models", NULL, "C1-F45",
     "the thesis does not tell its loads: with ours a factor may fit longer or less long than with theirs"},
    {"preconditioner", "In the hand", "clock", "C1-F48", SP_WHY_CLOCK},
    {"preconditioner", "In the hand", NULL, "C1-F47", SP_WHY_CLOCK},

    {"cutting", "Age", NULL, "C1-F50", NULL},
    {"cutting", "Drift", "a node parts", "C2-F32", NULL},
    {"cutting", "Drift", "ours", "C1-F17", NULL},
    {"cutting", "Drift", NULL, "C2-F31", NULL},
    {"cutting", "Rates", "4664", "C2-F47", "in double precision two linked bodies take four times as long"},
    {"cutting", "Rates", "1999", "C2-F48", NULL},
    {"cutting", "Rates", NULL, "C2-F33", NULL},

    {"anderson", NULL, ": nodes", "B5", NULL},
    {"anderson", NULL, ": tets", "B5", NULL},
    {"anderson", NULL, ": mass", "B5", NULL},
    {"anderson", NULL, "true end", "B8", "Newton's method did not converge: no error can be told"},
    {"anderson", "of its curves", "diverges", "B12", NULL},
    {"anderson", "of its curves", "larger r", "B10", NULL},
    {"anderson", "of its curves", "sor", "B12", SP_WHY_ORDER},
    {"anderson", "of its curves", "chebyshev", "B12", SP_WHY_ORDER},
    {"anderson", "of its curves", "printed", "B11", SP_WHY_ORDER},
    {"anderson", "of its curves", NULL, "B9",
     "a proper least squares gains more than the printed mixing did"},
    {"anderson", "targets of our own", NULL, "B16", SP_WHY_CLOCK},
    {"anderson", "Green strain", "anderson", "B9", SP_WHY_ORDER},
    {"anderson", "Green strain", "printed", "B11", SP_WHY_ORDER},
    {"anderson", "Green strain", NULL, "B6", SP_WHY_ORDER},
    {"anderson", "What a sweep costs", NULL, "B16", SP_WHY_MIXING},
    {"anderson", "Hanging", "slender", "B15", NULL},
    {"anderson", "Hanging", NULL, "B15", NULL},
    {"anderson", "Settled", NULL, "B7", SP_WHY_CLOCK},
    {"anderson", "pulled longer", NULL, "B15", NULL},

    {"volumes", NULL, "F10: most energy on the way", "C2-F10",
     "not known: with pixels of 1 cm it is 1.27, without what bodies have in common with themselves 1.30"},
    {"volumes", NULL, "F13: steps until", "C2-F13",
     "a step lets what began inside come out gently, so that it does not fly apart"},
    {"volumes", NULL, "F10:", "C2-F10", NULL},
    {"volumes", NULL, "F11:", "C2-F11", NULL},
    {"volumes", NULL, "F12:", "C2-F12", NULL},
    {"volumes", NULL, "F13:", "C2-F13", NULL},
    {"volumes", NULL, "F14:", "C2-F14", NULL},
    {"volumes", NULL, "F15:", "C2-F15", NULL},
    {"volumes", NULL, "F16:", "C2-F16", NULL},
    {"volumes", NULL, "F1:", "C2-F1", NULL},
    {"volumes", NULL, "F2:", "C2-F2", NULL},
    {"volumes", NULL, "F3:", "C2-F3", NULL},
    {"volumes", NULL, "F4:", "C2-F4", NULL},
    {"volumes", NULL, "F5:", "C2-F5", NULL},
    {"volumes", NULL, "F6:", "C2-F6", NULL},
    {"volumes", NULL, "F7:", "C2-F7", SP_WHY_PAIRS},
    {"volumes", NULL, "F8:", "C2-F8", SP_WHY_CACHE},
    {"volumes", NULL, "F9:", "C2-F9", NULL},
    {"volumes", "Pile of deformable", NULL, "C2-F10", SP_WHY_GPU},
    {"volumes", NULL, "grasp", "C2-F17",
     "the ball is tets as fine as its surface, which take most of the step"},
    {"volumes", "Costs", NULL, "C2-F7", SP_WHY_PAIRS},
};

static bool spFits(const char* word, const char* text)
{
    return word == NULL || strstr(text, word) != NULL;
}

spRowNote spFindRowNote(const spReproduction* r, const char* quantity, const char* published,
                        spVerdict verdict)
{
    bool small = r->quick && published[0] != 0;
    for (int i = 0; i < (int)(sizeof(s_known) / sizeof(s_known[0])); ++i)
    {
        const spKnownRow* known = s_known + i;
        if (strcmp(known->experiment, r->name) == 0 && spFits(known->part, r->title) &&
            spFits(known->quantity, quantity))
        {
            const char* why =
                verdict == sp_agrees               ? ""
                : verdict == sp_notJudged && small ? "too small and too short to judge"
                : verdict == sp_notJudged && spFits("on a GPU", quantity)
                    ? "needs a GPU, and there is no such backend: ours is processor time of one thread"
                : verdict == sp_notJudged ? "no number to be held to"
                : known->why != NULL      ? known->why
                                          : "";
            return (spRowNote){known->seed, why};
        }
    }
    return (spRowNote){"", ""};
}

// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Materials by name. Moduli are those of the tables in the annex of Boukadida 2020 (engineering materials
// after Cambridge 2003, tissues after McKee 2011) and of the liver of Debunne 2000. Poisson's ratios and
// densities are not given there: they are customary values.

#include "souple/scene.h"

#include <stddef.h>
#include <strings.h>

// clang-format off
#define ENGINEERING "range of Cambridge 2003 (Boukadida 2020, annex 1), middle of it"
#define INDENTATION "indentation, McKee 2011 (Boukadida 2020, annex 1); tension gives far more"
#define TENSION     "tension, McKee 2011 (Boukadida 2020, annex 1)"

static const spMaterial s_materials[] = {
    // name         E Pa     from     to       nu     kg/m^3  source
    {"steel",       2.0e11,  1.89e11, 2.1e11,  0.30,  7850.0, ENGINEERING},
    {"concrete",    3.0e10,  1.0e10,  5.0e10,  0.20,  2400.0, ENGINEERING},
    {"nylon",       2.9e9,   2.62e9,  3.2e9,   0.40,  1150.0, ENGINEERING},
    {"silicone",    1.0e7,   5.0e6,   2.0e7,   0.48,  1200.0, ENGINEERING},
    {"rubber",      2.0e6,   1.5e6,   2.5e6,   0.48,  1100.0, ENGINEERING},
    {"neoprene",    1.2e6,   7.0e5,   2.0e6,   0.48,  1230.0, ENGINEERING},
    {"foam",        5.5e5,   3.0e5,   1.0e6,   0.30,    60.0, ENGINEERING},
    {"tendon",      5.6e8,   5.6e8,   5.6e8,   0.45,  1120.0, TENSION},
    {"sclera",      2.7e6,   2.7e6,   2.7e6,   0.47,  1080.0, TENSION},
    {"skin",        8.5e4,   8.5e4,   3.0e7,   0.48,  1100.0, INDENTATION},
    {"liver",       1.02e4,  1.02e4,  1.02e4,  0.28,  1060.0, "mu = 4000 Pa, lambda = 5000 Pa, chosen by eye (Debunne 2000)"},
    {"breast",      8.0e3,   8.0e3,   8.0e3,   0.48,   980.0, INDENTATION},
    {"muscle",      7.0e3,   7.0e3,   4.8e8,   0.45,  1060.0, INDENTATION},
    {"spinal cord", 3.0e3,   3.0e3,   2.0e6,   0.45,  1040.0, INDENTATION},
};
// clang-format on

int spGetMaterialCount(void)
{
    return (int)(sizeof(s_materials) / sizeof(s_materials[0]));
}

const spMaterial* spGetMaterial(int index)
{
    return index >= 0 && index < spGetMaterialCount() ? &s_materials[index] : NULL;
}

const spMaterial* spFindMaterial(const char* name)
{
    for (int i = 0; name != NULL && i < spGetMaterialCount(); ++i)
    {
        if (strcasecmp(s_materials[i].name, name) == 0)
        {
            return &s_materials[i];
        }
    }
    return NULL;
}

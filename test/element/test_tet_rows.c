// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Rows of tetrahedra, as XPBD projects them: values, gradients, energies and forces against a dense reference
// in double, rigid motion, momentum, elements that are crushed or mirrored, the end of a step against
// backward Euler, damping, Jacobi's sweeps, and the same bits for all lanes and workers.

#include "test/element_test.h"

#include "element/tet_rows.h"
#include "math/mat3.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "mesh/zone.h"
#include "testbed/worlds.h"
#include "world/world.h"

static const double young = 1000.0, poisson = 0.3;

#ifdef SOUPLE_DOUBLE_PRECISION
static const double exact = 1e-11;
#else
static const double exact = 2e-5;
#endif

// A law and what is projected for it
typedef struct RowCase
{
    spTetLaw law;
    bool energy;
    const char* rows; // name of the kind
} RowCase;

static const RowCase cases[] = {
    {sp_tetLinear, false, "strain"},           {sp_tetCorotational, false, "strain"},
    {sp_tetCorotationalEdge, false, "strain"}, {sp_tetStVenantKirchhoff, false, "green"},
    {sp_tetHybrid, false, "energy"},           {sp_tetNeoHookean, false, "neo-Hookean"},
    {sp_tetMooneyRivlin, false, "Mooney"},     {sp_tetLinear, true, "energy"},
    {sp_tetCorotational, true, "energy"},      {sp_tetStVenantKirchhoff, true, "energy"},
    {sp_tetCorotationalEdge, true, "strain"},  {sp_tetHybrid, true, "energy"},
    {sp_tetNeoHookean, true, "neo-Hookean"},   {sp_tetMooneyRivlin, true, "Mooney"},
};

#define CASE_COUNT ((int)(sizeof(cases) / sizeof(cases[0])))
#define OWN_CASES 10 // the others have rows that came before

static bool IsHyper(const RowCase* one)
{
    return one->law == sp_tetNeoHookean || one->law == sp_tetMooneyRivlin;
}

static bool HasEnergyRow(const RowCase* one)
{
    return strcmp(one->rows, "energy") == 0;
}

static bool TurnsFreely(spTetLaw law)
{
    return law != sp_tetLinear && law != sp_tetHybrid;
}

// ---- a body and its rows ----

typedef struct Rows
{
    spTestWorld test;
    spBody* body;
    spTetSet* set;
    spSweepOrder order;
    spConstraints c;
    spReal* lambda;
    size_t lambdaSize;
    spVec4* start;
    spVec4* to;
    double h;
} Rows;

static spReal* AllocReals(int64_t count, size_t* size)
{
    *size = ((size_t)count * sizeof(spReal) + 63) / 64 * 64;
    spReal* reals = aligned_alloc(64, *size);
    memset(reals, 0, *size);
    return reals;
}

static spTetDef MakeDef(const RowCase* one)
{
    spTetDef def = spDefaultTetDef();
    def.law = one->law;
    def.youngModulus = (spReal)young;
    def.poissonRatio = (spReal)poisson;
    return def;
}

// A box of `cells` cells along each side of 1 m, inner and outer vertices shifted at random, no gravity
static spTestWorld MakeBox(const spTestDef* test, const spTetDef* def, int cells)
{
    spTestWorld made = {.springs = -1, .gas = -1};
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.gravity = (spVec3){0, 0, 0};
    worldDef.laneCount = test->laneCount;
    worldDef.workerCount = test->workerCount;
    made.world = spCreateWorld(&worldDef, NULL);
    spBoxMeshDef boxDef = spDefaultBoxMeshDef();
    boxDef.size = (spDVec3){1.0, 1.0, 1.0};
    boxDef.cells[0] = boxDef.cells[1] = boxDef.cells[2] = cells;
    spMesh* box = spMakeBoxMesh(&boxDef, NULL);
    int count = spMesh_GetVertexCount(box);
    spDVec3* vertices = malloc((size_t)count * sizeof(spDVec3));
    spReal* masses = malloc((size_t)count * sizeof(spReal));
    uint64_t seed = 7;
    double jitter = 0.1 / cells;
    for (int i = 0; i < count; ++i)
    {
        vertices[i] = spMesh_GetVertices(box)[i];
        vertices[i].x += spRandomRange(&seed, -jitter, jitter);
        vertices[i].y += spRandomRange(&seed, -jitter, jitter);
        vertices[i].z += spRandomRange(&seed, -jitter, jitter);
        masses[i] = (spReal)spRandomRange(&seed, 0.5, 1.5);
    }
    spMeshDef meshDef = spDefaultMeshDef();
    meshDef.vertices = vertices;
    meshDef.vertexCount = count;
    meshDef.tets = spMesh_GetTets(box);
    meshDef.tetCount = spMesh_GetTetCount(box);
    spMesh* mesh = spCreateMesh(&meshDef, NULL);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.nodeMasses = masses;
    bodyDef.method = test->method;
    made.body = spCreateBody(made.world, &bodyDef);
    if (spBody_AddTets(made.world, made.body, def) != 0)
    {
        fail_msg("%s", spWorld_GetLastError(made.world).message);
    }
    spDestroyMesh(mesh);
    spDestroyMesh(box);
    free(vertices);
    free(masses);
    return made;
}

static Rows MakeRows(const RowCase* one, const spTetDef* def, int lanes, int cells, double h)
{
    Rows rows = {.h = h};
    spTestDef test = spDefaultTestDef();
    test.laneCount = lanes;
    rows.test = MakeBox(&test, def, cells);
    spBody* body = spGetBody(rows.test.world, rows.test.body);
    rows.body = body;
    rows.set = (spTetSet*)body->sets[0];
    const spConstraintKind* kind = rows.set->base.kind->getRows(&rows.set->base, one->energy);
    assert_string_equal(kind->name, one->rows);
    spElementList list;
    assert_true(spListElements(&list, &rows.set->blocks, body->heap));
    assert_true(spOrderByZones(&rows.order, body->heap, &list, 1, body->nodeCount, 192));
    spFreeElementList(&list, body->heap);
    assert_true(
        spCreateConstraints(&rows.c, body->heap, &rows.set->base, kind, &rows.order, rows.order.partOf));
    rows.lambda = AllocReals(spGetLambdaCount(&rows.c), &rows.lambdaSize);
    rows.c.lambda = rows.lambda;
    spConstraintFill fill = {.x = body->x, .h = h};
    kind->fill(&rows.c, &fill);
    rows.start = AllocNodes(body->nodeCount);
    rows.to = AllocNodes(body->nodeCount);
    memcpy(rows.start, body->x, (size_t)body->nodeCount * sizeof(spVec4));
    return rows;
}

static void FreeRows(Rows* rows)
{
    spHeap* heap = rows->body->heap;
    spDestroyConstraints(&rows->c, heap);
    spFreeSweepOrder(&rows->order, heap);
    free(rows->lambda);
    free(rows->start);
    free(rows->to);
    spDestroyTestWorld(&rows->test);
}

static double RunRows(const Rows* rows, spRowsFcn* fcn, const spReal* given)
{
    size_t size = (size_t)rows->body->nodeCount * sizeof(spVec4);
    memset(rows->to, 0, size);
    spSweep sweep = {.x = rows->body->x, .start = rows->start, .to = rows->to, .given = given};
    double sum = 0.0;
    for (int part = 0; part < rows->order.partCount; ++part)
    {
        sum += fcn(&rows->c, &sweep, part);
    }
    return sum;
}

// Place of a row of a lane among the multipliers
static size_t GetPlace(const Rows* rows, int i, int row)
{
    return ((size_t)(i / SP_BLOCK) * (size_t)rows->c.kind->rowCount + (size_t)row) * SP_BLOCK +
           (size_t)(i % SP_BLOCK);
}

static int GetLaneCount(const Rows* rows)
{
    return rows->c.blocks.blockCount * SP_BLOCK;
}

// ---- dense reference in double: m[row][column] ----

typedef struct Mat
{
    double m[3][3];
} Mat;

static Mat GetF(const Rows* rows, int element, double (*shift)[3], double factor)
{
    const int32_t* n = rows->set->tets[element].nodes;
    const spMat3* b = rows->set->inverses + element;
    const double inverse[3][3] = {{(double)b->cx.x, (double)b->cy.x, (double)b->cz.x},
                                  {(double)b->cx.y, (double)b->cy.y, (double)b->cz.y},
                                  {(double)b->cx.z, (double)b->cy.z, (double)b->cz.z}};
    double x[4][3];
    for (int k = 0; k < 4; ++k)
    {
        const spVec4* p = rows->body->x + n[k];
        const double at[3] = {(double)p->x, (double)p->y, (double)p->z};
        for (int d = 0; d < 3; ++d)
        {
            x[k][d] = at[d] + (shift != NULL ? factor * shift[n[k]][d] : 0.0);
        }
    }
    Mat f = {{{0}}};
    for (int i = 0; i < 3; ++i)
    {
        for (int j = 0; j < 3; ++j)
        {
            for (int k = 0; k < 3; ++k)
            {
                f.m[i][j] += (x[k + 1][i] - x[0][i]) * inverse[k][j];
            }
        }
    }
    return f;
}

static Mat Cofactor(const Mat* f)
{
    Mat k;
    for (int i = 0; i < 3; ++i)
    {
        for (int j = 0; j < 3; ++j)
        {
            int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
            k.m[i][j] = f->m[a][c] * f->m[b][d] - f->m[a][d] * f->m[b][c];
        }
    }
    return k;
}

static double Determinant(const Mat* f)
{
    Mat k = Cofactor(f);
    return f->m[0][0] * k.m[0][0] + f->m[0][1] * k.m[0][1] + f->m[0][2] * k.m[0][2];
}

static double Square(const Mat* f)
{
    double sum = 0.0;
    for (int i = 0; i < 9; ++i)
    {
        sum += f->m[i / 3][i % 3] * f->m[i / 3][i % 3];
    }
    return sum;
}

// The rotation nearest to F, of positive determinant, by Higham's iteration
static Mat Polar(Mat r)
{
    for (int round = 0; round < 50; ++round)
    {
        Mat k = Cofactor(&r);
        double det = Determinant(&r);
        for (int i = 0; i < 9; ++i)
        {
            r.m[i / 3][i % 3] = 0.5 * (r.m[i / 3][i % 3] + k.m[i / 3][i % 3] / det);
        }
    }
    return r;
}

// The rotation of the first two columns
static Mat EdgeFrame(const Mat* f)
{
    double a[3], n[3], lengthA = 0.0, lengthN = 0.0;
    for (int i = 0; i < 3; ++i)
    {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        a[i] = f->m[i][0];
        n[i] = f->m[j][0] * f->m[k][1] - f->m[k][0] * f->m[j][1];
        lengthA += a[i] * a[i];
        lengthN += n[i] * n[i];
    }
    Mat r;
    for (int i = 0; i < 3; ++i)
    {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        r.m[i][0] = a[i] / sqrt(lengthA);
        r.m[i][2] = n[i] / sqrt(lengthN);
        r.m[i][1] = (n[j] * a[k] - n[k] * a[j]) / sqrt(lengthA * lengthN);
    }
    return r;
}

// What the rows of one element are, and what multipliers the law asks for
typedef struct Reference
{
    int count;
    double c[6];      // functions of x
    double value[6];  // what they count as
    double wanted[6]; // multipliers over V h^2 in balance
    double energy;    // J/m^3, but for a constant
} Reference;

// sym(A^T F), shear twice the tensor
static void TakeStrain(const Mat* a, const Mat* f, double* e)
{
    static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
    for (int r = 0; r < 6; ++r)
    {
        int p = pairs[r][0], q = pairs[r][1];
        e[r] = 0.0;
        for (int i = 0; i < 3; ++i)
        {
            e[r] += a->m[i][p] * f->m[i][q] + (p == q ? 0.0 : a->m[i][q] * f->m[i][p]);
        }
    }
}

static Reference GetReference(const RowCase* one, const Rows* rows, int element, const Mat* f)
{
    const spTet* tet = rows->set->tets + element;
    double la, mu;
    spGetLame((double)tet->youngModulus, (double)tet->poissonRatio, &la, &mu);
    Reference ref = {.count = rows->c.kind->rowCount};
    if (IsHyper(one))
    {
        double b = one->law == sp_tetMooneyRivlin ? (double)rows->set->mooney * mu : 0.0;
        double m = 4.0 / 3.0 * (mu - b), bulk = la + 0.625 * m, q = Square(f), s = sqrt(q);
        Mat k = Cofactor(f);
        int last = ref.count - 1;
        ref.c[0] = Determinant(f);
        ref.value[0] = ref.c[0] - 1.0 - (0.75 * m + 2.0 * b) / bulk;
        ref.wanted[0] = -bulk * ref.value[0];
        ref.energy = 0.5 * bulk * ref.value[0] * ref.value[0] + 0.5 * m * (q - log(q + 1.0));
        if (last == 2)
        {
            ref.c[1] = ref.value[1] = sqrt(Square(&k));
            ref.wanted[1] = -b * ref.c[1];
            ref.energy += 0.5 * b * ref.c[1] * ref.c[1];
        }
        double first = m * s * q / (q + 1.0), second = m * (q * q + 3.0 * q) / ((q + 1.0) * (q + 1.0));
        ref.c[last] = s;
        ref.value[last] = first / second;
        ref.wanted[last] = -first;
        return ref;
    }
    double e[6];
    if (one->law == sp_tetStVenantKirchhoff)
    {
        TakeStrain(f, f, e);
        for (int k = 0; k < 6; ++k)
        {
            e[k] = k < 3 ? 0.5 * (e[k] - 1.0) : 0.5 * e[k];
        }
    }
    else
    {
        Mat r = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
        r = one->law == sp_tetCorotational ? Polar(*f) : r;
        r = one->law == sp_tetCorotationalEdge ? EdgeFrame(f) : r;
        TakeStrain(&r, f, e);
        for (int k = 0; k < 3; ++k)
        {
            e[k] -= 1.0;
        }
    }
    double trace = e[0] + e[1] + e[2], stress[6];
    for (int k = 0; k < 6; ++k)
    {
        stress[k] = k < 3 ? 2.0 * mu * e[k] + la * trace : mu * e[k];
        ref.energy += 0.5 * stress[k] * e[k];
    }
    if (one->law == sp_tetHybrid)
    {
        Mat g = *f;
        for (int i = 0; i < 3; ++i)
        {
            g.m[i][i] -= 1.0;
        }
        ref.energy = 0.5 * (mu * Square(&g) + (la + mu) * trace * trace);
    }
    for (int k = 0; k < ref.count; ++k)
    {
        ref.c[k] = ref.value[k] = HasEnergyRow(one) ? sqrt(2.0 * ref.energy) : e[k];
        ref.wanted[k] = HasEnergyRow(one) ? -ref.c[k] : -stress[k];
    }
    return ref;
}

// Multipliers in balance with the law, where the body is
static void FillWanted(const RowCase* one, const Rows* rows, spReal* lambda)
{
    for (int i = 0; i < GetLaneCount(rows); ++i)
    {
        int element = rows->c.blocks.elements[i];
        if (element >= 0)
        {
            Mat f = GetF(rows, element, NULL, 0.0);
            Reference ref = GetReference(one, rows, element, &f);
            double scale = (double)rows->set->volumes[element] * rows->h * rows->h;
            for (int k = 0; k < ref.count; ++k)
            {
                lambda[GetPlace(rows, i, k)] = (spReal)(scale * ref.wanted[k]);
            }
        }
    }
}

// x <- A x + b
static void Map(spBody* body, spMat3 a, spVec3 b)
{
    for (int i = 0; i < body->nodeCount; ++i)
    {
        spVec3 p = spAdd3(spMulMV3(a, spXyz(body->x[i])), b);
        body->x[i] = (spVec4){p.x, p.y, p.z, body->x[i].w};
    }
}

static void Deform(spBody* body, double amount, uint64_t* seed)
{
    spVec3 stretch =
        spMakeVec3((spReal)(1.0 + amount), (spReal)(1.0 - 0.5 * amount), (spReal)(1.0 + 0.5 * amount));
    Map(body, spDiagonalMat3(stretch), spMakeVec3(0, 0, 0));
    Shake(body, 0.2 * amount, seed);
}

// ---- values, gradients, energies, forces ----

// J^T against central differences of the reference. Strain rows leave the change of their frame out, so that
// only those without one are gradients.
static void TestGradients(void** state)
{
    SP_UNUSED(state);
    double limit = sizeof(spReal) == 8 ? 1e-6 : 2e-3, worst = 0.0;
    for (int n = 0; n < OWN_CASES; ++n)
    {
        const RowCase* one = cases + n;
        if (strcmp(one->rows, "strain") == 0 && one->law != sp_tetLinear)
        {
            continue;
        }
        spTetDef def = MakeDef(one);
        Rows rows = MakeRows(one, &def, 0, 2, 0.01);
        uint64_t seed = 40 + (uint64_t)n;
        Deform(rows.body, 0.3, &seed);
        size_t size;
        spReal* given = AllocReals(spGetLambdaCount(&rows.c), &size);
        double(*way)[3] = malloc((size_t)rows.body->nodeCount * sizeof(*way));
        for (int row = 0; row < rows.c.kind->rowCount; ++row)
        {
            double want = 0.0, got = 0.0, scale = 0.0, h = 1e-6;
            memset(given, 0, size);
            for (int i = 0; i < rows.body->nodeCount; ++i)
            {
                for (int d = 0; d < 3; ++d)
                {
                    way[i][d] = spRandomRange(&seed, -1, 1);
                }
            }
            for (int i = 0; i < GetLaneCount(&rows); ++i)
            {
                int element = rows.c.blocks.elements[i];
                // Empty lanes must not answer
                spReal weight = (spReal)spRandomRange(&seed, -1, 1);
                given[GetPlace(&rows, i, row)] = weight;
                if (element >= 0)
                {
                    Mat plus = GetF(&rows, element, way, h), minus = GetF(&rows, element, way, -h);
                    Reference a = GetReference(one, &rows, element, &plus);
                    Reference b = GetReference(one, &rows, element, &minus);
                    double slope = (double)weight * (a.c[row] - b.c[row]) / (2.0 * h);
                    want += slope;
                    scale += fabs(slope);
                }
            }
            RunRows(&rows, rows.c.kind->transpose, given);
            for (int i = 0; i < rows.body->nodeCount; ++i)
            {
                got += (double)rows.to[i].x * way[i][0] + (double)rows.to[i].y * way[i][1] +
                       (double)rows.to[i].z * way[i][2];
            }
            worst = fmax(worst, fabs(got - want) / scale);
            CHECK_NEAR(got, want, limit * scale);
        }
        free(way);
        free(given);
        FreeRows(&rows);
    }
    print_message("gradients: %.2g\n", worst);
}

// Values, energies and compliances: the residual without and with the multipliers of the law, the energy of
// the set, and J^T of those multipliers, which is its force
static void TestForces(void** state)
{
    SP_UNUSED(state);
    double limit = sizeof(spReal) == 8 ? 1e-12 : 1e-5;
    for (int n = 0; n < CASE_COUNT; ++n)
    {
        const RowCase* one = cases + n;
        spTetDef def = MakeDef(one);
        Rows rows = MakeRows(one, &def, 0, 2, 0.01);
        uint64_t seed = 60 + (uint64_t)n;
        double square = 0.0, change = 0.0, energy = 0.0;
        for (int side = 0; side < 2; ++side)
        {
            if (side == 1)
            {
                Deform(rows.body, 0.3, &seed);
            }
            change = -change;
            square = 0.0;
            for (int i = 0; i < rows.set->base.elementCount; ++i)
            {
                Mat f = GetF(&rows, i, NULL, 0.0);
                Reference ref = GetReference(one, &rows, i, &f);
                change += (double)rows.set->volumes[i] * ref.energy;
                for (int k = 0; k < ref.count; ++k)
                {
                    square += (double)rows.set->volumes[i] * ref.value[k] * ref.value[k];
                }
            }
            energy = GetEnergy(rows.body) - energy;
        }
        CHECK_NEAR(change, energy, limit * 10.0 * fabs(energy));
        double free0 = RunRows(&rows, rows.c.kind->measure, NULL);
        CHECK_NEAR(free0, square, 10.0 * limit * square);
        FillWanted(one, &rows, rows.lambda);
        double balanced = RunRows(&rows, rows.c.kind->measure, NULL);
        CHECK_LESS(sqrt(balanced / square), exact);
        RunRows(&rows, rows.c.kind->transpose, rows.lambda);
        EvaluateForces(rows.body);
        double error = 0.0, scale = 0.0, h2 = rows.h * rows.h;
        for (int i = 0; i < rows.body->nodeCount; ++i)
        {
            spVec3 f = spXyz(rows.body->f[i]), got = spScale3((spReal)(1.0 / h2), spXyz(rows.to[i]));
            error = fmax(error, (double)spLength3(spSub3(got, f)));
            scale = fmax(scale, (double)spLength3(f));
        }
        print_message("%s, %s rows: energy %.1g, force %.1g\n", spGetTetLawName(one->law), one->rows,
                      fabs(change / energy - 1.0), error / scale);
        CHECK_LESS(error, exact * scale);
        FreeRows(&rows);
    }
}

// A rigid motion of the rest shape leaves nothing to do; the hyperelastic rows keep their balance
static void TestRigidRows(void** state)
{
    SP_UNUSED(state);
    double limit = sizeof(spReal) == 8 ? 1e-12 : 2e-5;
    for (int n = 0; n < OWN_CASES; ++n)
    {
        const RowCase* one = cases + n;
        spTetDef def = MakeDef(one);
        Rows rows = MakeRows(one, &def, 0, 2, 0.01);
        spReal angle = TurnsFreely(one->law) ? (spReal)0.7 : 0;
        spMat3 r = spMat3FromQuat(spQuatFromAxisAngle(spNormalize3(spMakeVec3(1, 2, 3)), angle));
        Map(rows.body, r, spMakeVec3(1, (spReal)-0.5, (spReal)0.25));
        double scale = HasEnergyRow(one) ? sqrt(young) : 1.0;
        if (IsHyper(one) == false)
        {
            CHECK_LESS(sqrt(RunRows(&rows, rows.c.kind->measure, NULL)), limit * scale);
        }
        FillWanted(one, &rows, rows.lambda);
        RunRows(&rows, rows.c.kind->transpose, rows.lambda);
        for (int i = 0; i < rows.body->nodeCount; ++i)
        {
            CHECK_LESS(spLength3(spXyz(rows.to[i])), limit * young * rows.h * rows.h);
        }
        FreeRows(&rows);
    }
}

// x of the body as it was made, then F = 1 + one of six strains of 0.2
static void StrainOne(const Rows* rows, int k)
{
    static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
    double a[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    a[pairs[k][0]][pairs[k][1]] += 0.1;
    a[pairs[k][1]][pairs[k][0]] += 0.1;
    spVec3 columns[3];
    for (int c = 0; c < 3; ++c)
    {
        columns[c] = spMakeVec3((spReal)a[0][c], (spReal)a[1][c], (spReal)a[2][c]);
    }
    memcpy(rows->body->x, rows->start, (size_t)rows->body->nodeCount * sizeof(spVec4));
    Map(rows->body, (spMat3){columns[0], columns[1], columns[2]}, spMakeVec3(0, 0, 0));
}

// The compliance that is applied is the inverse of Hooke's matrix, number by number: with the stress of a
// strain as multipliers, each of the six rows that is left of that strain is nothing
static void TestCompliance(void** state)
{
    SP_UNUSED(state);
    const double ratios[] = {0.0, 0.3, 0.4, 0.49};
    double limit = sizeof(spReal) == 8 ? 1e-12 : 1e-4, worst = 0.0;
    for (int n = 0; n < 4 * 2 * 6; ++n)
    {
        int ratio = n / 12, green = n / 6 % 2;
        const RowCase* one = cases + (green == 1 ? 3 : 0);
        spTetDef def = MakeDef(one);
        def.poissonRatio = (spReal)ratios[ratio];
        Rows rows = MakeRows(one, &def, 0, 1, 0.01);
        StrainOne(&rows, n % 6);
        double strain = RunRows(&rows, rows.c.kind->measure, NULL);
        assert_true(sqrt(strain) > 0.1);
        FillWanted(one, &rows, rows.lambda);
        double left = sqrt(RunRows(&rows, rows.c.kind->measure, NULL) / strain);
        worst = fmax(worst, left);
        CHECK_LESS(left, limit);
        FreeRows(&rows);
    }
    print_message("compliance: %.2g\n", worst);
}

// ---- projections ----

// Projections move no centre of mass, and where J is that of a law that knows rotations nothing turns. Strain
// rows leave the change of their frame out of J: their increments have a torque, which is gone once they have
// converged.
static void TestMomentum(void** state)
{
    SP_UNUSED(state);
    double limit = sizeof(spReal) == 8 ? 1e-12 : 4e-6;
    for (int n = 0; n < OWN_CASES; ++n)
    {
        const RowCase* one = cases + n;
        spTetDef def = MakeDef(one);
        def.damping = (spReal)0.02;
        // A step in which stiffness and inertia weigh alike, and one in which nothing is stiffer
        for (int stiff = 0; stiff < 2; ++stiff)
        {
            def.youngModulus = (spReal)(stiff == 1 ? 1e7 : young);
            Rows rows = MakeRows(one, &def, 0, 1, 0.02);
            uint64_t seed = 80 + (uint64_t)n;
            Deform(rows.body, 0.3, &seed);
            size_t size = (size_t)rows.body->nodeCount * sizeof(spVec4);
            spVec4* before = AllocNodes(rows.body->nodeCount);
            memcpy(before, rows.body->x, size);
            RunRows(&rows, rows.c.kind->project, NULL);
            double sum[3] = {0}, scale = 0.0;
            for (int i = 0; i < rows.body->nodeCount; ++i)
            {
                double m = (double)rows.body->mass[i];
                spVec4 a = before[i], b = rows.body->x[i];
                sum[0] += m * ((double)b.x - (double)a.x);
                sum[1] += m * ((double)b.y - (double)a.y);
                sum[2] += m * ((double)b.z - (double)a.z);
                scale += m * (double)spLength3(spSub3(spXyz(b), spXyz(a)));
            }
            assert_true(scale > 1e-3);
            for (int k = 0; k < 3; ++k)
            {
                CHECK_LESS(fabs(sum[k]), limit * scale);
            }
            // Whatever a projection adds to the multipliers, J^T of it has no torque
            if (TurnsFreely(one->law) && strcmp(one->rows, "strain") != 0)
            {
                size_t bytes;
                spReal* given = AllocReals(spGetLambdaCount(&rows.c), &bytes);
                for (int i = 0; i < GetLaneCount(&rows); ++i)
                {
                    for (int k = 0; k < rows.c.kind->rowCount; ++k)
                    {
                        given[GetPlace(&rows, i, k)] = (spReal)spRandomRange(&seed, -1, 1);
                    }
                }
                RunRows(&rows, rows.c.kind->transpose, given);
                double torque[3] = {0}, forces = 0.0;
                for (int i = 0; i < rows.body->nodeCount; ++i)
                {
                    spVec4 x = rows.body->x[i], f = rows.to[i];
                    torque[0] += (double)x.y * f.z - (double)x.z * f.y;
                    torque[1] += (double)x.z * f.x - (double)x.x * f.z;
                    torque[2] += (double)x.x * f.y - (double)x.y * f.x;
                    forces += (double)spLength3(spXyz(f));
                }
                for (int k = 0; k < 3; ++k)
                {
                    CHECK_LESS(fabs(torque[k]), 10.0 * limit * forces);
                }
                free(given);
            }
            free(before);
            FreeRows(&rows);
        }
    }
}

static bool IsFinite(const spVec4* x, int count)
{
    bool finite = true;
    for (int i = 0; i < count; ++i)
    {
        finite = finite && isfinite(x[i].x) && isfinite(x[i].y) && isfinite(x[i].z);
    }
    return finite;
}

// Whatever the positions, soft or stiff, no number runs out of range
static void TestCrushedRows(void** state)
{
    SP_UNUSED(state);
    for (int n = 0; n < OWN_CASES; ++n)
    {
        for (int shape = 0; shape < 8; ++shape)
        {
            for (int stiff = 0; stiff < 3; ++stiff)
            {
                const RowCase* one = cases + n;
                spTetDef def = MakeDef(one);
                def.youngModulus = (spReal)(stiff == 0 ? 10.0 : stiff == 1 ? 1e5 : 1e9);
                def.poissonRatio = (spReal)(stiff == 2 ? 0.49 : 0.3);
                def.damping = (spReal)(shape % 2 == 0 ? 0.0 : 0.05);
                def.mooney = (spReal)(shape % 3 == 0 ? 0.0 : shape % 3 == 1 ? 0.2 : 1.0);
                Rows rows = MakeRows(one, &def, 0, 2, 1.0 / 60.0);
                size_t size;
                rows.c.share = AllocReals(GetLaneCount(&rows), &size);
                for (int i = 0; i < GetLaneCount(&rows); ++i)
                {
                    rows.c.share[i] = rows.c.blocks.elements[i] < 0 ? 0 : (spReal)0.1;
                }
                uint64_t seed = 11 * (uint64_t)shape + (uint64_t)n;
                spVec3 stretch = spMakeVec3(1, 1, 1);
                switch (shape)
                {
                    case 0: // one point
                        stretch = spMakeVec3(0, 0, 0);
                        break;
                    case 1: // a plane
                        stretch.y = 0;
                        break;
                    case 2: // a line
                        stretch = spMakeVec3(0, 1, 0);
                        break;
                    case 3: // mirrored
                        stretch.z = -1;
                        break;
                    case 4: // nearly a point
                        stretch = spMakeVec3((spReal)1e-4, (spReal)-1e-5, (spReal)1e-3);
                        break;
                    case 5: // far apart
                        stretch = spMakeVec3(1000, 500, -2000);
                        break;
                    case 6: // so far that squares of squares are out of range
                        stretch = spMakeVec3((spReal)1e12, (spReal)1e12, (spReal)1e12);
                        break;
                    default:
                        Shake(rows.body, 2.0, &seed);
                        break;
                }
                Map(rows.body, spDiagonalMat3(stretch), spMakeVec3(0, 0, 0));
                for (int sweep = 0; sweep < 100; ++sweep)
                {
                    if (sweep % 4 == 3)
                    {
                        RunRows(&rows, rows.c.kind->collect, NULL);
                        for (int i = 0; i < rows.body->nodeCount; ++i)
                        {
                            spVec4* x = rows.body->x + i;
                            *x =
                                (spVec4){x->x + rows.to[i].x, x->y + rows.to[i].y, x->z + rows.to[i].z, x->w};
                        }
                    }
                    else
                    {
                        RunRows(&rows, rows.c.kind->project, NULL);
                    }
                    if (IsFinite(rows.body->x, rows.body->nodeCount) == false)
                    {
                        fail_msg("%s, %s rows: shape %d, stiffness %d, sweep %d", spGetTetLawName(one->law),
                                 one->rows, shape, stiff, sweep);
                    }
                }
                RunRows(&rows, rows.c.kind->transpose, rows.lambda);
                if (shape != 6)
                {
                    assert_true(IsFinite(rows.to, rows.body->nodeCount));
                    assert_true(isfinite(RunRows(&rows, rows.c.kind->measure, NULL)));
                }
                free(rows.c.share);
                rows.c.share = NULL;
                FreeRows(&rows);
            }
        }
    }
}

// ---- steps ----

static spMethodDef MakeMethod(const RowCase* one, spMethodType type)
{
    spMethodDef method = spDefaultMethodDef();
    method.type = type;
    method.substeps = 1;
    if (type == sp_xpbd)
    {
        method.xpbd.solver = sp_xpbdGaussSeidel;
        method.xpbd.accelerator = sp_accelerateNone;
        method.xpbd.tetRows = one->energy ? sp_tetRowsEnergy : sp_tetRowsLaw;
        method.xpbd.iterations = 500;
    }
    else
    {
        method.solver.newtonSteps = 20;
        method.solver.tolerance = (spReal)(sizeof(spReal) == 8 ? 1e-10 : 1e-6);
        method.solver.newtonTolerance = (spReal)(sizeof(spReal) == 8 ? 1e-9 : 1e-6);
    }
    return method;
}

#define MOST_NODES 27

// One step of a box from its rest shape with given velocities
typedef struct StepDef
{
    spTetDef tets;
    spMethodDef method;
    double speed; // of the deformation, 1/s
    double dt;
    int cells;
    bool swell; // all directions alike
} StepDef;

// Returns the energy that it loses
static double RunStep(const StepDef* def, spVec3* x, spVec3* start, spVec3* ballistic)
{
    spTestDef test = spDefaultTestDef();
    test.method = def->method;
    spTestWorld made = MakeBox(&test, &def->tets, def->cells);
    spBody* body = spGetBody(made.world, made.body);
    int count = body->nodeCount;
    spVec3 velocities[MOST_NODES];
    for (int i = 0; i < count; ++i)
    {
        spVec4 p = body->x[i];
        double s = def->speed;
        spVec3 v = def->swell ? spScale3((spReal)s, spXyz(p))
                              : spMakeVec3((spReal)(s * (p.x + 0.6 * p.y)), (spReal)(-0.7 * s * p.y),
                                           (spReal)(s * (0.4 * p.x - 0.3 * p.z)));
        body->v[i] = (spVec4){v.x, v.y, v.z, 0};
    }
    spBody_CopyPositions(made.world, made.body, start, count);
    spBody_CopyVelocities(made.world, made.body, velocities, count);
    for (int i = 0; i < count; ++i)
    {
        ballistic[i] = spAdd3(start[i], spScale3((spReal)def->dt, velocities[i]));
    }
    spEnergy before = spGetBodyEnergy(body, body->x, (spVec3){0, 0, 0});
    assert_int_equal(spWorld_Step(made.world, (spReal)def->dt), 0);
    spBody_CopyPositions(made.world, made.body, x, count);
    spEnergy after = spGetBodyEnergy(body, body->x, (spVec3){0, 0, 0});
    spDestroyTestWorld(&made);
    return before.kinetic + before.elastic - after.kinetic - after.elastic;
}

static double GetDistance(const spVec3* a, const spVec3* b, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; ++i)
    {
        sum += (double)spLengthSquared3(spSub3(a[i], b[i]));
    }
    return sqrt(sum);
}

// Strain and Green rows have no multipliers at rest, so that J of a small deformation is the same all the
// way. Those of energy and of the hyperelastic laws add up increments along directions that turn from visit
// to visit.
static bool Drifts(const RowCase* one)
{
    return HasEnergyRow(one) || IsHyper(one);
}

// The end of a converged step against that of backward Euler, as a share of what the tets change of the way
static void TestStep(void** state)
{
    SP_UNUSED(state);
    for (int n = 0; n < OWN_CASES; ++n)
    {
        const RowCase* one = cases + n;
        for (int large = 0; large < 2; ++large)
        {
            spVec3 x[2][MOST_NODES], start[MOST_NODES], ballistic[MOST_NODES];
            StepDef def = {.tets = MakeDef(one), .speed = large == 1 ? 5.0 : 0.01, .dt = 0.02, .cells = 1};
            def.method = MakeMethod(one, sp_backwardEuler);
            RunStep(&def, x[0], start, ballistic);
            def.method = MakeMethod(one, sp_xpbd);
            RunStep(&def, x[1], start, ballistic);
            double change = GetDistance(x[0], ballistic, 8), error = GetDistance(x[0], x[1], 8);
            double way = GetDistance(x[0], start, 8);
            print_message("%s, %s rows, %s: %.2g of the way, %.2g of the change\n", spGetTetLawName(one->law),
                          one->rows, large == 1 ? "large" : "small", error / way, error / change);
            // In float the change of a small step has few digits
            double resolved = sizeof(spReal) == 8 ? 0.0 : 2e-6;
            CHECK_LESS(error, (Drifts(one) ? 0.2 : large == 1 ? 0.02 : 1e-4) * change + resolved);
            CHECK_LESS(error, 0.03 * way);
        }
    }
}

// Jacobi's sweeps end where those of Gauss and Seidel do, but for the order of the drift
static void TestJacobi(void** state)
{
    SP_UNUSED(state);
    for (int n = 0; n < OWN_CASES; ++n)
    {
        const RowCase* one = cases + n;
        spVec3 x[2][MOST_NODES], start[MOST_NODES], ballistic[MOST_NODES];
        StepDef def = {.tets = MakeDef(one), .speed = 5.0, .dt = 0.02, .cells = 2};
        def.method = MakeMethod(one, sp_xpbd);
        RunStep(&def, x[0], start, ballistic);
        def.method.xpbd.solver = sp_xpbdJacobi;
        def.method.xpbd.iterations = 3000;
        RunStep(&def, x[1], start, ballistic);
        double way = GetDistance(x[0], start, 27), error = GetDistance(x[0], x[1], 27);
        print_message("%s, %s rows: %.2g of the way\n", spGetTetLawName(one->law), one->rows, error / way);
        CHECK_LESS(error, 0.05 * way);
    }
}

// What a damped body loses in a step is what it loses with backward Euler. Rows of energy and of the
// hyperelastic laws damp what changes them: a body that swells.
static void TestDamping(void** state)
{
    SP_UNUSED(state);
    for (int n = 0; n < OWN_CASES; ++n)
    {
        const RowCase* one = cases + n;
        double loss[2][2];
        for (int damped = 0; damped < 2; ++damped)
        {
            for (int k = 0; k < 2; ++k)
            {
                spVec3 x[MOST_NODES], start[MOST_NODES], ballistic[MOST_NODES];
                StepDef def = {.tets = MakeDef(one), .speed = 0.1, .dt = 0.02, .cells = 1};
                if (Drifts(one))
                {
                    def.swell = true;
                    def.dt = 0.005;
                    def.tets.dampingModel = sp_dampRayleigh;
                }
                def.tets.damping = (spReal)(damped == 1 ? 0.03 : 0.0);
                def.method = MakeMethod(one, k == 0 ? sp_backwardEuler : sp_xpbd);
                loss[damped][k] = RunStep(&def, x, start, ballistic);
            }
        }
        print_message("%s, %s rows: loses %.4g, with damping %.4g; backward Euler %.4g, %.4g\n",
                      spGetTetLawName(one->law), one->rows, loss[0][1], loss[1][1], loss[0][0], loss[1][0]);
        assert_true(loss[1][0] > 2.0 * loss[0][0]);
        CHECK_NEAR(loss[1][1], loss[1][0], 0.05 * loss[1][0]);
    }
}

// A body that was pressed out of shape comes to rest, the sooner the stiffer, with few sweeps and long steps
static void TestStiff(void** state)
{
    SP_UNUSED(state);
    for (int n = 0; n < OWN_CASES; ++n)
    {
        const RowCase* one = cases + n;
        for (int round = 0; round < 3; ++round)
        {
            spTestDef test = spDefaultTestDef();
            spTetDef tets = MakeDef(one);
            tets.youngModulus = (spReal)(round == 0 ? 1e3 : round == 1 ? 1e5 : 1e7);
            tets.poissonRatio = (spReal)0.4;
            test.method = MakeMethod(one, sp_xpbd);
            test.method.xpbd.iterations = 10;
            spTestWorld made = MakeBox(&test, &tets, 2);
            spBody* body = spGetBody(made.world, made.body);
            uint64_t seed = 5;
            Deform(body, 0.1, &seed);
            double fastest = 0.0;
            for (int i = 0; i < 60; ++i)
            {
                spWorld_Step(made.world, (spReal)(1.0 / 60.0));
                fastest = 0.0;
                for (int k = 0; k < body->nodeCount; ++k)
                {
                    fastest = fmax(fastest, (double)spLength3(spXyz(body->v[k])));
                }
            }
            int inverted = spBody_CountInvertedTets(made.world, made.body);
            print_message("%s, %s rows, E = %g: %.2g m/s, %d inverted\n", spGetTetLawName(one->law),
                          one->rows, (double)tets.youngModulus, fastest, inverted);
            CHECK_LESS(fastest, round == 0 ? 0.6 : 0.15);
            assert_int_equal(inverted, 0);
            spDestroyTestWorld(&made);
        }
    }
}

// The same bits for every number of lanes and workers
static void TestBits(void** state)
{
    SP_UNUSED(state);
    const int lanes[] = {1, 4, 8, 16, 0, 0};
    for (int n = 0; n < OWN_CASES; ++n)
    {
        const RowCase* one = cases + n;
        for (int jacobi = 0; jacobi < 2; ++jacobi)
        {
            uint64_t first = 0;
            for (int k = 0; k < 6; ++k)
            {
                if (lanes[k] > spGetLaneCount())
                {
                    continue;
                }
                spTestDef test = spDefaultTestDef();
                test.laneCount = lanes[k];
                test.workerCount = k < 4 ? 1 : k - 2;
                test.method = MakeMethod(one, sp_xpbd);
                test.method.xpbd.iterations = 4;
                test.method.xpbd.solver = jacobi == 1 ? sp_xpbdJacobi : sp_xpbdGaussSeidel;
                spTetDef tets = MakeDef(one);
                tets.youngModulus = 20000;
                tets.damping = (spReal)(jacobi == 1 ? 0.01 : 0.0);
                spTestWorld made = spBuildTetBeam(&test, 5, &tets);
                for (int i = 0; i < 4; ++i)
                {
                    // So few sweeps leave force, and say so
                    uint32_t flags = spWorld_Step(made.world, (spReal)0.02);
                    assert_int_equal(flags & ~(uint32_t)sp_stepSolverStopped, 0);
                }
                uint64_t hash = spWorld_GetStateHash(made.world);
                first = k == 0 ? hash : first;
                assert_true(hash == first);
                spDestroyTestWorld(&made);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestGradients),  cmocka_unit_test(TestForces),   cmocka_unit_test(TestRigidRows),
        cmocka_unit_test(TestCompliance), cmocka_unit_test(TestMomentum), cmocka_unit_test(TestCrushedRows),
        cmocka_unit_test(TestStep),       cmocka_unit_test(TestJacobi),   cmocka_unit_test(TestDamping),
        cmocka_unit_test(TestStiff),      cmocka_unit_test(TestBits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

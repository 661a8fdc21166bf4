// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "dense_inverse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool spCreateDenseInverse(spDenseInverse* inverse, int room)
{
    *inverse = (spDenseInverse){.room = room};
    inverse->rows = calloc((size_t)room * (size_t)room, sizeof(double));
    return inverse->rows != NULL;
}

void spDestroyDenseInverse(spDenseInverse* inverse)
{
    free(inverse->rows);
    *inverse = (spDenseInverse){0};
}

static double* spGetInverseRow(const spDenseInverse* inverse, int row)
{
    return inverse->rows + (size_t)row * (size_t)inverse->room;
}

static void spMirror(double* matrix, int count, int stride)
{
    for (int i = 0; i < count; ++i)
    {
        for (int j = i + 1; j < count; ++j)
        {
            matrix[(size_t)j * (size_t)stride + (size_t)i] = matrix[(size_t)i * (size_t)stride + (size_t)j];
        }
    }
}

// Sweeps the upper triangle with each pivot in turn, which leaves the inverse with the other sign
bool spInvertInPlace(double* matrix, int count, int stride)
{
    double* column = malloc((size_t)(count > 0 ? count : 1) * sizeof(double));
    bool ok = column != NULL;
    for (int p = 0; ok && p < count; ++p)
    {
        double* pivot = matrix + (size_t)p * (size_t)stride;
        double d = pivot[p];
        ok = d > 0.0;
        for (int i = 0; i < count; ++i)
        {
            column[i] = i < p ? matrix[(size_t)i * (size_t)stride + (size_t)p] : pivot[i];
        }
        for (int i = 0; ok && i < count; ++i)
        {
            double* row = matrix + (size_t)i * (size_t)stride;
            double factor = column[i] / d;
            for (int j = i; j < count && i != p; ++j)
            {
                row[j] -= factor * column[j];
            }
        }
        for (int i = 0; i < count; ++i)
        {
            double* at = i < p ? matrix + (size_t)i * (size_t)stride + (size_t)p : pivot + i;
            *at = column[i] / d;
        }
        pivot[p] = -1.0 / d;
    }
    for (int i = 0; i < count; ++i)
    {
        for (int j = i; j < count; ++j)
        {
            matrix[(size_t)i * (size_t)stride + (size_t)j] *= -1.0;
        }
    }
    spMirror(matrix, count, stride);
    free(column);
    return ok;
}

// Solves matrix X = right by elimination with pivots, both (count * count), both lost: X stands in `right`
static bool spEliminate(double* matrix, double* right, int count)
{
    for (int p = 0; p < count; ++p)
    {
        int best = p;
        for (int i = p + 1; i < count; ++i)
        {
            best = fabs(matrix[i * count + p]) > fabs(matrix[best * count + p]) ? i : best;
        }
        if (matrix[best * count + p] == 0.0)
        {
            return false;
        }
        for (int j = 0; j < count; ++j)
        {
            double a = matrix[p * count + j], b = right[p * count + j];
            matrix[p * count + j] = matrix[best * count + j];
            right[p * count + j] = right[best * count + j];
            matrix[best * count + j] = a;
            right[best * count + j] = b;
        }
        for (int i = 0; i < count; ++i)
        {
            double factor = matrix[i * count + p] / matrix[p * count + p];
            for (int j = 0; j < count && i != p && factor != 0.0; ++j)
            {
                matrix[i * count + j] -= j >= p ? factor * matrix[p * count + j] : 0.0;
                right[i * count + j] -= factor * right[p * count + j];
            }
        }
    }
    for (int i = 0; i < count * count; ++i)
    {
        right[i] /= matrix[i / count * (count + 1)];
    }
    return true;
}

// Adds left^T right to the inverse, whose product is symmetric: (depth * count) each
static void spAddProduct(spDenseInverse* inverse, const double* left, const double* right, int depth)
{
    int n = inverse->count;
    for (int i = 0; i < n; ++i)
    {
        double* row = spGetInverseRow(inverse, i);
        for (int k = 0; k < depth; ++k)
        {
            const double* from = right + (size_t)k * (size_t)n;
            double factor = left[(size_t)k * (size_t)n + (size_t)i];
            for (int j = i; j < n; ++j)
            {
                row[j] += factor * from[j];
            }
        }
    }
    spMirror(inverse->rows, n, inverse->room);
}

// out (rows * columns) = factor * a (rows * depth) * b (depth * columns), of which zeros in a cost nothing
static void spMultiply(double* out, double factor, const double* a, const double* b, int rows, int depth,
                       int columns)
{
    memset(out, 0, (size_t)rows * (size_t)columns * sizeof(double));
    for (int i = 0; i < rows; ++i)
    {
        for (int k = 0; k < depth; ++k)
        {
            double value = factor * a[(size_t)i * (size_t)depth + (size_t)k];
            for (int j = 0; j < columns && value != 0.0; ++j)
            {
                out[(size_t)i * (size_t)columns + (size_t)j] +=
                    value * b[(size_t)k * (size_t)columns + (size_t)j];
            }
        }
    }
}

bool spCorrectInverse(spDenseInverse* inverse, const int* touched, int touchedCount, const double* correction)
{
    int n = inverse->count, k = touchedCount;
    double* s = calloc(2 * (size_t)k * (size_t)n + 3 * (size_t)k * (size_t)k, sizeof(double));
    if (s == NULL)
    {
        return false;
    }
    double *t = s + (size_t)k * (size_t)n, *inner = t + (size_t)k * (size_t)n, *q = inner + k * k,
           *m = q + k * k;
    for (int i = 0; i < k; ++i)
    {
        memcpy(s + (size_t)i * (size_t)n, spGetInverseRow(inverse, touched[i]), (size_t)n * sizeof(double));
        for (int j = 0; j < k; ++j)
        {
            inner[i * k + j] = s[(size_t)i * (size_t)n + (size_t)touched[j]];
        }
    }
    // N (I + C N)^-1 is symmetric: it solves (I + N C) X = N
    spMultiply(q, 1.0, correction, inner, k, k, k);
    for (int i = 0; i < k; ++i)
    {
        q[i * k + i] += 1.0;
    }
    memcpy(m, correction, (size_t)k * (size_t)k * sizeof(double));
    bool ok = spEliminate(q, m, k);
    if (ok)
    {
        spMultiply(t, -1.0, m, s, k, k, n);
        spAddProduct(inverse, t, s, k);
    }
    free(s);
    return ok;
}

bool spExtendInverse(spDenseInverse* inverse, const double* across, const double* corner, int added)
{
    int n = inverse->count, m = added;
    if (n + m > inverse->room)
    {
        return false;
    }
    double* y = calloc(2 * (size_t)m * (size_t)n + (size_t)m * (size_t)m, sizeof(double));
    if (y == NULL)
    {
        return false;
    }
    double *x = y + (size_t)m * (size_t)n, *c = x + (size_t)m * (size_t)n;
    // Y = A21 C
    for (int i = 0; i < m; ++i)
    {
        for (int k = 0; k < n; ++k)
        {
            double value = across[(size_t)i * (size_t)n + (size_t)k];
            const double* row = spGetInverseRow(inverse, k);
            for (int j = 0; j < n && value != 0.0; ++j)
            {
                y[(size_t)i * (size_t)n + (size_t)j] += value * row[j];
            }
        }
    }
    // The corner of the new inverse: (A22 - Y A12)^-1
    for (int i = 0; i < m; ++i)
    {
        for (int j = 0; j < m; ++j)
        {
            c[i * m + j] = corner[i * m + j];
            for (int k = 0; k < n; ++k)
            {
                c[i * m + j] -=
                    y[(size_t)i * (size_t)n + (size_t)k] * across[(size_t)j * (size_t)n + (size_t)k];
            }
        }
    }
    bool ok = spInvertInPlace(c, m, m);
    if (ok)
    {
        spMultiply(x, 1.0, c, y, m, m, n);
        spAddProduct(inverse, x, y, m);
        for (int i = 0; i < m; ++i)
        {
            double* row = spGetInverseRow(inverse, n + i);
            for (int j = 0; j < n; ++j)
            {
                row[j] = -x[(size_t)i * (size_t)n + (size_t)j];
                spGetInverseRow(inverse, j)[n + i] = row[j];
            }
            memcpy(row + n, c + (size_t)i * (size_t)m, (size_t)m * sizeof(double));
        }
        inverse->count = n + m;
    }
    free(y);
    return ok;
}

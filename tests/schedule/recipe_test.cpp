// Every recipe leaves the answer alone: each class of equation, on every leg this machine has, with extents of nothing, one,
// below, at and beside the tiles, and with buffers of any stride order, against the interpreter.

#include "schedules/recipes/recipe.h"
#include "frontend/notation/program.h"
#include "frontend/solve/solve.h"
#include "generators/run/call_data.h"
#include "generators/run/executor.h"
#include "generators/run/random_tensor.h"
#include "generators/run/verify.h"
#include "schedules/machine/machine.h"
#include "tests/schedule/run_compiled.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

namespace halogen {
namespace {

struct Case {
    const char* name;
    const char* text;
    std::vector<Settings> sizes;
    Scalars scalars = {};
};

/// The settings in which each of `names` in turn walks around tile edges while the others keep a small extent.
std::vector<Settings> around_tile_edges(const Settings& base, const std::vector<std::string>& names) {
    std::vector<Settings> all{base};
    for (const std::string& name : names)
        for (const int extent : {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 64, 67}) {
            Settings settings = base;
            settings[name] = extent;
            all.push_back(settings);
        }
    return all;
}

/// Extents below, at and beside the sides of tiles, both large.
std::vector<Settings> in_tiles(const std::string& one, const std::string& other, const Settings& base = {}) {
    std::vector<Settings> all;
    for (const auto& [m, n] :
         {std::pair{8, 8}, {7, 16}, {16, 7}, {9, 17}, {17, 16}, {16, 33}, {31, 19}, {16, 65}, {65, 64}, {400, 351}}) {
        Settings settings = base;
        settings[one] = m;
        settings[other] = n;
        all.push_back(settings);
    }
    return all;
}

/// Rows of pages and of parts of them, and strips that are left, each with a few points to add up.
std::vector<Settings> in_pages(const std::string& row, const std::string& points, const Settings& base = {}) {
    std::vector<Settings> all;
    for (const auto& [n, k] :
         {std::pair{127, 9}, {256, 7}, {257, 16}, {511, 17}, {513, 8}, {1025, 1}, {2048, 33}, {2111, 8}, {4099, 3}}) {
        Settings settings = base;
        settings[row] = n;
        settings[points] = k;
        all.push_back(settings);
    }
    return all;
}

const std::vector<Case>& cases() {
    static const std::vector<Case> all{
        {"Map", "Y[i,j] = A[i,j]*2 + B[i,j]", around_tile_edges({{"A.0", 5}, {"A.1", 6}}, {"A.0", "A.1"})},
        {"MapWorthThreads", "Y[i,j] = A[i,j]*2", {{{"A.0", 300}, {"A.1", 513}}, {{"A.0", 9000}, {"A.1", 17}}}},
        {"MapOfBytes", "kernel k(A: u8[M, N], B: u8[M, N]) -> Y: u8 { Y[i,j] = u8((u16(A[i,j]) + u16(B[i,j]))/2) }",
         around_tile_edges({{"M", 5}, {"N", 6}}, {"M", "N"})},
        {"MapsOfSharedValues",
         "kernel k(A: f32[M, N]) -> Y: f32 { E[i,j] = exp(A[i,j]); F[i,j] = E[i,j]*E[i,j] + 1; Y[i,j] = F[i,j]/E[i,j] "
         "+ F[i,j]*A[i,j] }",
         around_tile_edges({{"M", 5}, {"N", 6}}, {"M", "N"})},
        {"MapOfTwoInTiles", "Y[i,j] = A[i,j]*2 + B[i,j]", in_tiles("A.0", "A.1")},
        {"MapOfBytesInTiles",
         "kernel k(A: u8[M, N], B: u8[M, N]) -> Y: u8 { Y[i,j] = u8((u16(A[i,j]) + u16(B[i,j]))/2) }",
         in_tiles("M", "N")},
        {"MapOfThreeDimsInTiles",
         "kernel k(A: f64[N, C, M], B: i16[M, N], v: f64[M]) -> Y: f64 { Y[i,j,c] = A[j,c,i]*v[i] + f64(B[i,j]) }",
         in_tiles("M", "N", {{"C", 2}})},
        {"MapOfThreeInTiles", "Y[i,j] = A[i,j]*B[j,i] + D[i,j]", in_tiles("A.0", "A.1")},
        {"MapOfInnerDimsTurned", "kernel k(A: f32[B, M, N, K]) -> Y: f32 { Y[b,m,k,n] = A[b,m,n,k] }",
         in_tiles("N", "K", {{"B", 2}, {"M", 3}})},
        {"MapOfInnerDimsTurnedAndNot",
         "kernel k(A: f64[B, M, N], D: f64[B, N, M]) -> Y: f64 { Y[b,j,i] = A[b,i,j] + D[b,j,i] }",
         in_tiles("M", "N", {{"B", 3}})},
        {"MapOfTwoOfTwoBytesInTiles",
         "kernel k(A: u16[M, N], B: i16[M, N]) -> Y: i32 { Y[i,j] = i32(A[i,j])*2 - i32(B[i,j]) }", in_tiles("M", "N")},
        {"MapOfThreeOfBytesInTiles",
         "kernel k(A: u8[M, N], B: u8[N, M], D: i8[M, N]) -> Y: i16 { Y[i,j] = i16(A[i,j]) + i16(B[j,i])*2 - "
         "i16(D[i,j]) }",
         in_tiles("M", "N")},
        {"MapOfThreeWithDimsAround",
         "kernel k(A: f32[M, C, N], B: f64[N, M], D: i16[M, N], v: f32[N]) -> Y: f64 { Y[i,c,j] = "
         "f64(A[i,c,j])*B[j,i] - f64(D[i,j]) + f64(v[j]) }",
         in_tiles("M", "N", {{"C", 2}})},
        {"LayoutChangeInTiles", "Y[j,i] = A[i,j]", in_tiles("A.0", "A.1")},
        {"MapOfOneDim", "Y[i] = exp(A[i])", around_tile_edges({{"A.0", 5}}, {"A.0"})},
        {"FillOfASizeOnlyTheOutputKnows",
         "kernel k(a: f32) -> Y: f32[N] { Y[i] = a*i }",
         around_tile_edges({{"N", 5}}, {"N"}),
         {{"a", 2.0}}},
        {"LayoutChange", "Y[j,i] = A[i,j]", around_tile_edges({{"A.0", 5}, {"A.1", 6}}, {"A.0", "A.1"})},
        {"Stencil",
         "kernel k(X: f32[H pad 1, W pad 1] else edge) -> Y: f32[H, W] { Y[y,x] = X[y-1,x] + X[y+1,x] + X[y,x-1] + "
         "X[y,x+1] }",
         around_tile_edges({{"H", 5}, {"W", 6}}, {"W"})},
        {"SumAlongTheContiguousDim", "Y[i] += A[i,j]", around_tile_edges({{"A.0", 3}, {"A.1", 6}}, {"A.0", "A.1"})},
        {"LargestAlongTheOuterDim", "Y[j] max= A[i,j]", around_tile_edges({{"A.0", 3}, {"A.1", 6}}, {"A.0", "A.1"})},
        {"SumsOfAViewAlongBothDims", "U[l,i] = A[l,i]*3; V[l] += U[l,i]; Y[i] += U[l,i]*V[l]",
         around_tile_edges({{"A.0", 3}, {"A.1", 6}}, {"A.0", "A.1"})},
        {"Contraction", "C[i,j] += A[i,k]*B[k,j]",
         around_tile_edges({{"A.0", 9}, {"A.1", 3}, {"B.1", 17}}, {"A.0", "A.1", "B.1"})},
        {"SumsOfElementsThatDataChoose",
         "kernel k(V: f32[K, M, N], G: i32[N], W: f32[K, N]) -> Y: f32 { I[r] = min(max(G[r], 0), N - 1); "
         "Y[c, r] += V[k, c, I[r]]*W[k, r] }",
         around_tile_edges({{"K", 3}, {"M", 5}, {"N", 9}}, {"M", "N"})},
        {"SumsOfElementsAtQuotients",
         "kernel k(V: f32[K, M, N], W: f32[K, N]) -> Y: f32 { Y[c, r] += V[k, c, r/2]*W[k, r] }",
         around_tile_edges({{"K", 3}, {"M", 5}, {"N", 9}}, {"M", "N"})},
        {"PlacesInASizeOfRemainders",
         "kernel k(E: u8[Q]) -> (T: u8, I: u8) { T[2*b] += E[b]; I[i16(k)] += T[k] }",
         {{{"Q", 1}}, {{"Q", 3}}, {{"Q", 40}}}},
        {"PlacesByDataOfWhichARemainderTellsSome",
         "kernel k(Z: f32[5, 4], A: u8[W]) -> I: f32[] { "
         "I[] += Z[max(min(A[m], 4), 0), max(min(A[c%3], 3), 0)] where c in 0:W }",
         {{{"W", 1}}, {{"W", 2}}, {{"W", 40}}}},
        {"TwoProductsJoinedByAMap",
         "A[i,j] += X[i,k]*F[k,j]; B[i,j] += X[i,k]*G[k,j]; Y[i,j] = A[i,j]*sigmoid(A[i,j])*B[i,j]",
         around_tile_edges({{"X.0", 9}, {"X.1", 3}, {"F.1", 17}}, {"X.0", "F.1"})},
        {"TwoWindowsJoinedByAMap",
         "kernel k(X: u8[H, W]) -> Y: u8[H - 2, W - 2] { E[y, x] min= X[y + r, x + s] where r in 0:3, s in 0:3; "
         "D[y, x] max= X[y + r, x + s] where r in 0:3, s in 0:3; Y[y, x] = D[y, x] - E[y, x] }",
         around_tile_edges({{"H", 9}, {"W", 9}}, {"H", "W"})},
        {"TwoProductsOfOneMatrix",
         "kernel k(A: f32[M, K], B: f32[M, K], W: f32[K, N]) -> (Y: f32, Z: f32) { Y[i,j] += A[i,k]*W[k,j]; Z[i,j] += "
         "B[i,k]*W[k,j] }",
         around_tile_edges({{"M", 9}, {"K", 3}, {"N", 17}}, {"M", "N"})},
        {"TwoConvolutionsOfOneImage",
         "kernel k(X: f32[H pad 1, W pad 1, C] else 0, F: f32[3, 3, C, K], G: f32[3, 3, C, K]) -> (Y: f32[H, W, K], Z: "
         "f32[H, W, K]) { Y[y,x,k] += X[y + r - 1, x + s - 1, c]*F[r,s,c,k]; Z[y,x,k] += X[y + r - 1, x + s - 1, "
         "c]*G[r,s,c,k] }",
         around_tile_edges({{"H", 4}, {"W", 8}, {"C", 2}, {"K", 17}}, {"W", "K"})},
        {"TwoConvolutionsOfOneSetOfPlanes",
         "kernel k(X: f32[C, H pad 1, W pad 1] else 0, F: f32[K, C, 3, 3], G: f32[K, C, 3, 3]) -> (Y: f32[K, H, W], Z: "
         "f32[K, H, W]) { Y[k,y,x] += X[c, y + r - 1, x + s - 1]*F[k,c,r,s]; Z[k,y,x] += X[c, y + r - 1, x + s - 1]*"
         "G[k,c,r,s] }",
         around_tile_edges({{"C", 2}, {"H", 5}, {"W", 7}, {"K", 9}}, {"W", "K"})},
        {"AConvolutionAndTheImageItself",
         "kernel k(X: f32[H pad 1, W pad 1, C] else 0, F: f32[3, 3, C, C]) -> Y: f32[H, W, C] { Z[y,x,k] += "
         "X[y + r - 1, x + s - 1, c]*F[r,s,c,k]; Y[y,x,k] = max(Z[y,x,k] + X[y,x,k], 0) }",
         around_tile_edges({{"H", 4}, {"W", 8}, {"C", 17}}, {"W", "C"})},
        {"AWindowAndTheImageItself",
         "kernel k(X: u8[H pad 2, W pad 2] else symmetric) -> Y: u8[H, W] { B[y,x] max= X[y + r - 2, x + s - 2] where "
         "r in 0:5, s in 0:5; Y[y,x] = B[y,x] - X[y,x] }",
         around_tile_edges({{"H", 9}, {"W", 9}}, {"H", "W"})},
        {"AverageOfMirroredEdges",
         "kernel k(X: u16[H pad 2, W pad (1, 3)] else reflect) -> Y: u16[H, W] { Y[y,x] = u16((i32(X[y-2,x]) + "
         "i32(X[y+2,x-1]) + i32(X[y,x+3]))/3) }",
         around_tile_edges({{"H", 5}, {"W", 9}}, {"W", "H"})},
        {"AverageOfEdgesThatWrap",
         "kernel k(X: f32[H pad 2, W pad 2] else wrap) -> Y: f32[H, W] { Y[y,x] = X[y-2,x+2] + X[y+1,x-2] }",
         around_tile_edges({{"H", 5}, {"W", 9}}, {"W"})},
        {"PlacesOfAColourOneByOne",
         "kernel k(X: u16[H, W], a: f32[H]) -> Y: u16[H, W, 3] { Y[y,x,0] = X[y,x]; Y[y,x,1] = X[y,x]/2; Y[y,x,2] = "
         "X[y,x]/4 }",
         around_tile_edges({{"H", 5}, {"W", 9}}, {"W", "H"})},
        {"ColoursByTheirLargest",
         "kernel k(X: f32[H, W, 3]) -> Y: f32[H, W, 3] { M[y,x] max= X[y,x,c]; L[y,x] min= X[y,x,c]; D[y,x] = M[y,x] - "
         "L[y,x]; Y[y,x,0] = D[y,x]/(M[y,x]*M[y,x] + 1); Y[y,x,1] = X[y,x,2] - D[y,x]; Y[y,x,2] = M[y,x] }",
         around_tile_edges({{"H", 5}, {"W", 9}}, {"W", "H"})},
        {"GainOfColours", "kernel k(X: u8[N, 2], g: u8[2]) -> Y: u8 { Y[n,c] = X[n,c]*g[c] }",
         around_tile_edges({{"N", 5}}, {"N"})},
        {"BlocksOfSharedValues",
         "kernel k(X: f32[N]) -> Y: f32 { E[i] = exp(X[i])*X[i] + 1; F[i] = E[i]*E[i] - X[i] + 2; Y[i] = F[i]/(E[i] + "
         "F[i]*F[i]) }",
         around_tile_edges({{"N", 4095}}, {"N"})},
        {"BlocksOfSharedValuesWorthThreads",
         "kernel k(X: f32[N]) -> Y: f32 { E[i] = exp(X[i])*X[i] + 1; F[i] = E[i]*E[i] - X[i] + 2; Y[i] = F[i]/(E[i] + "
         "F[i]*F[i]) }",
         {{{"N", 4096}}, {{"N", 4097}}, {{"N", 40001}}, {{"N", 300007}}}},
        {"ForcesBetweenPoints",
         "kernel k(P: f32[N, 3], m: f32[N], eps: f32) -> A: f32[N, 3] { D[i,j,c] = P[j,c] - P[i,c]; R[i,j] = "
         "D[i,j,0]*D[i,j,0] + D[i,j,1]*D[i,j,1] + D[i,j,2]*D[i,j,2] + eps; W[i,j] = m[j]/(R[i,j]*sqrt(R[i,j])); A[i,c] "
         "+= W[i,j]*D[i,j,c] }",
         around_tile_edges({{"N", 5}}, {"N"}),
         {{"eps", 0.5}}},
        {"CovarianceOfOneMatrix", "C[i,j] += X[n,i]*X[n,j]",
         around_tile_edges({{"X.0", 9}, {"X.1", 5}}, {"X.0", "X.1"})},
        {"SumsOfGroupsOfPlanes",
         "kernel k(X: f32[N, C, P], G: size = 3) -> M: f32[N, G] where C % G == 0 { M[n,k] += X[n, k*(C/G) + c, p] "
         "where k in 0:G, c in 0:C/G }",
         around_tile_edges({{"N", 2}, {"C", 6}, {"P", 9}}, {"P", "N"})},
        {"RowsOfAPicture",
         "kernel k(X: f32[H, W], v: f32[N], u: f32[N]) -> Y: f32[N] { Y[n] = X[i32(min(max(v[n]*v[n], 0), f32(H - "
         "1))), "
         "i32(min(max(u[n]*u[n], 0), f32(W - 1)))]*u[n] }",
         around_tile_edges({{"H", 5}, {"W", 9}, {"N", 9}}, {"N"})},
        {"EveryOtherColumn", "kernel k(X: f32[H, 2*W]) -> Y: f32[H, W] { Y[y,x] = X[y,2*x] - X[y,2*x+1] }",
         around_tile_edges({{"H", 5}, {"W", 9}}, {"W"})},
        {"SmallMatrices", "kernel k(A: f32[N, 3, 3], B: f32[N, 3, 3]) -> C: f32 { C[n,i,j] += A[n,i,k]*B[n,k,j] }",
         around_tile_edges({{"N", 5}}, {"N"})},
        {"TwoMapsThatTurnOneInput",
         "kernel k(A: f32[M, N], B: f32[N, M]) -> (Y: f32, Z: f32) { Y[i,j] = A[i,j] + B[j,i]; Z[i,j] = A[i,j]*B[j,i] "
         "- 1 }",
         in_tiles("M", "N")},
        {"ContractionOfRows", "C[i,j] += A[i,k]*B[j,k]",
         around_tile_edges({{"A.0", 9}, {"A.1", 3}, {"B.0", 17}}, {"A.0", "B.0"})},
        {"BatchedContraction", "C[b,i,j] += A[b,i,k]*B[b,k,j]",
         around_tile_edges({{"A.0", 2}, {"A.1", 9}, {"A.2", 3}, {"B.2", 17}}, {"A.0", "A.1"})},
        {"MatrixTimesVector", "Y[i] += A[i,k]*X[k]", around_tile_edges({{"A.0", 9}, {"A.1", 3}}, {"A.0", "A.1"})},
        {"SumsOfAMatrixWorthThreads", "Y[i] += A[i,j]", {{{"A.0", 1030}, {"A.1", 1021}}}},
        {"VectorTimesMatrix", "Y[j] += X[k]*B[k,j]", around_tile_edges({{"B.0", 9}, {"B.1", 3}}, {"B.0", "B.1"})},
        {"VectorTimesMatrixOfPages", "Y[j] += X[k]*B[k,j]", in_pages("B.1", "B.0")},
        {"LargestOfPages", "kernel k(A: f64[M, N]) -> Y: f64[N] { Y[j] = 3; Y[j] max= A[i,j] }", in_pages("N", "M")},
        {"MeansOfPagesOfImages", "kernel k(A: f32[B, M, N]) -> Y: f32 { Z[b,j] += A[b,i,j]; Y[b,j] = Z[b,j]/M }",
         in_pages("N", "M", {{"B", 2}})},
        {"OneRowTimesMatrix", "C[i,j] += A[i,k]*B[k,j]", in_pages("B.1", "A.1", {{"A.0", 1}})},
        {"ProductALittleWiderThanTiles",
         "C[i,j] += A[i,k]*B[k,j]",
         {{{"A.0", 33}, {"A.1", 5}, {"B.1", 33}},
          {{"A.0", 49}, {"A.1", 1}, {"B.1", 48}},
          {{"A.0", 40}, {"A.1", 7}, {"B.1", 17}},
          {{"A.0", 25}, {"A.1", 3}, {"B.1", 40}},
          {{"A.0", 66}, {"A.1", 9}, {"B.1", 241}}}},
        {"FewRowsTimesMatrix", "C[i,j] += A[i,k]*B[k,j]", in_pages("B.1", "A.1", {{"A.0", 8}})},
        {"FewRowsOfBytesTimesMatrix",
         "kernel k(A: u8[M, K], B: i8[K, N], c: i32[N]) -> C: i32 { C[i,j] = c[j]; C[i,j] += i32(A[i,k])*i32(B[k,j]) }",
         in_pages("N", "K", {{"M", 3}})},
        {"LayerOfFewRows",
         "kernel k(X: f32[B, C], W: f32[C, K], G: f32[K]) -> Y: f32[B, K] "
         "{ T[b,k] += X[b,c]*W[c,k]; Y[b,k] = max(T[b,k] + G[k], 0) }",
         in_pages("K", "C", {{"B", 3}})},
        {"FewRowsTimesMatrices", "C[b,i,j] += A[b,i,k]*B[b,k,j]", in_pages("B.2", "A.2", {{"A.0", 2}, {"A.1", 5}})},
        {"RowsTimesFewColumns", "C[i,j] += A[i,k]*B[k,j]", in_pages("A.1", "A.0", {{"B.1", 3}})},
        {"FewRowsTimesRows", "C[i,j] += A[i,k]*B[j,k]", in_pages("A.1", "B.0", {{"A.0", 8}})},
        {"OneRowTimesRowsOfBytes", "kernel k(A: u8[M, K], B: i8[N, K]) -> C: i32 { C[i,j] += i32(A[i,k])*i32(B[j,k]) }",
         in_pages("K", "N", {{"M", 1}})},
        {"BatchedMatrixTimesVector", "Y[b,i] += A[b,i,k]*X[b,k]",
         around_tile_edges({{"A.0", 2}, {"A.1", 5}, {"A.2", 19}}, {"A.0", "A.1", "A.2"})},
        {"DistanceOfRows", "Y[i] += (A[i,k] - X[k])*(A[i,k] - X[k])",
         around_tile_edges({{"A.0", 9}, {"A.1", 3}}, {"A.0", "A.1"})},
        {"SumsReadBesideTheirPlace",
         "kernel k(A: f32[N, K]) -> Y: f32 { Z[i] += A[i,k]; Y[i] = Z[i+1] - Z[i] where i in 0:N-1 }",
         around_tile_edges({{"N", 9}, {"K", 3}}, {"N", "K"})},
        {"SumOfAll", "Y[] += A[i,j]", around_tile_edges({{"A.0", 3}, {"A.1", 21}}, {"A.0", "A.1"})},
        {"SumOverAllButTheLastDim", "Y[c] += A[y,x,c]",
         around_tile_edges({{"A.0", 2}, {"A.1", 3}, {"A.2", 5}}, {"A.1", "A.2"})},
        {"SumOverTheMiddleDim", "Y[a,c] += A[a,b,c]",
         around_tile_edges({{"A.0", 2}, {"A.1", 3}, {"A.2", 5}}, {"A.0", "A.1", "A.2"})},
        {"SumOfAPartOfEachRow", "Y[i] += A[i,j] where j >= i, A[i,j] > 0 or i < 3",
         around_tile_edges({{"A.0", 5}, {"A.1", 20}}, {"A.0", "A.1"})},
        {"ProductOfIntegersFromThePlaceAfterTheFirst",
         "kernel k(A: i32[M, N]) -> Y: i32[M] { Y[i] *= 1 - 2*(A[i,j] % 2) where j in 1:N }",
         around_tile_edges({{"M", 5}, {"N", 20}}, {"M", "N"})},
        {"LeastAndLargestOfBytes", "kernel k(A: u8[M, N]) -> (L: u8, H: u8) { L[i] min= A[i,j]; H[i] max= A[i,j] }",
         around_tile_edges({{"M", 5}, {"N", 70}}, {"M", "N"})},
        {"SumOfBytes", "kernel k(A: u8[M, N]) -> Y: i32 { Y[i] += i32(A[i,j]) }",
         around_tile_edges({{"M", 5}, {"N", 70}}, {"M", "N"})},
        {"AllOfARow", "kernel k(A: i16[M, N]) -> Y: bool { Y[i] and= A[i,j] != 7 }",
         around_tile_edges({{"M", 5}, {"N", 70}}, {"M", "N"})},
        {"SeveralReductionsIntoOneTensor",
         "kernel k(A: f32[M, N], B: f32[M, N]) -> Y: f32[M] { Y[i] = 3; Y[i] += A[i,j]; Y[i] max= B[i,j] }",
         around_tile_edges({{"M", 5}, {"N", 20}}, {"M", "N"})},
        {"SumsOfGatheredRows", "kernel k(X: f32[V, D], I: i32[N]) -> Y: f32[N] { Y[n] += X[I[n], d] }",
         around_tile_edges({{"V", 7}, {"D", 20}, {"N", 4}}, {"D", "N"})},
        {"Convolution",
         "kernel k(X: f32[N, H pad P, W pad P, C] else 0, F: f32[R, S, C, K], T: size = 1, P: size = 1) -> Y: f32[N, "
         "OH, OW, K] {"
         " Y[n,y,x,k] += X[n, T*y + r - P, T*x + s - P, c]*F[r,s,c,k] }",
         around_tile_edges({{"N", 1}, {"H", 4}, {"W", 8}, {"C", 2}, {"R", 3}, {"S", 3}, {"K", 17}}, {"W", "K"})},
        {"LongConvolution",
         "kernel k(X: f32[W pad 1, C] else 0, F: f32[S, C, K]) -> Y: f32[W, K] { Y[x,k] += X[x + s - 1, c]*F[s,c,k] }",
         {{{"W", 15}, {"C", 700}, {"S", 3}, {"K", 33}}, {{"W", 8}, {"C", 1025}, {"S", 3}, {"K", 1}}}},
        {"LongConvolutionOfAnImage",
         "kernel k(X: f32[H pad 2, W pad 1, C] else 0, F: f32[R, S, C, K], T: size = 1) -> Y: f32[OH, OW, K] {"
         " Y[y,x,k] += X[T*y + r - 2, T*x + s - 1, c]*F[r,s,c,k] }",
         {{{"H", 3}, {"W", 8}, {"C", 240}, {"R", 3}, {"S", 3}, {"K", 5}},
          {{"H", 1}, {"W", 9}, {"C", 210}, {"R", 5}, {"S", 2}, {"K", 3}},
          {{"H", 0}, {"W", 2}, {"C", 240}, {"R", 3}, {"S", 3}, {"K", 17}},
          {{"H", 4}, {"W", 3}, {"C", 230}, {"R", 3}, {"S", 3}, {"K", 2}, {"T", 2}}}},
        {"RowsOfAStencilOfAStencil",
         "kernel k(X: u16[H, W]) -> Y: u16[H - 2, W - 2] { B[y,x] = (X[y,x] + X[y,x+1] + X[y,x+2])/3; Y[y,x] = (B[y,x] "
         "+ "
         "B[y+1,x] + B[y+2,x])/3 }",
         {{{"H", 3}, {"W", 3}}, {{"H", 5}, {"W", 40}}, {{"H", 70}, {"W", 35}}, {{"H", 300}, {"W", 2000}}}},
        {"RowsOfStencilsInAnImage",
         "kernel k(X: f32[N, H, W]) -> Y: f32[N, H - 3, W] { B[n,y,x] = X[n,y,x]*X[n,y+1,x] + 1; C[n,y,x] = "
         "B[n,y,x]*B[n,y+1,x] "
         "- B[n,y,x]; Y[n,y,x] = C[n,y,x]/(C[n,y+1,x] + 9) }",
         {{{"N", 2}, {"H", 4}, {"W", 3}}, {{"N", 1}, {"H", 50}, {"W", 33}}, {{"N", 3}, {"H", 9}, {"W", 2000}}}},
        {"PhasesOfAPaddedFilter",
         "kernel k(X: f32[N, C, H pad 1, W pad 1] else 0, F: f32[C, K, R pad (0, 1), R pad (0, 1)] else 0) "
         "-> V: f32[N, 2, 2, K, H + 1, W + 1] { V[n,a,b,k,y,x] += X[n, c, y - u, x - v]*F[c, k, 2*u + a, 2*v + b] "
         "where a in 0:2, b in 0:2, u in 0:2, v in 0:2, y in 0:H + 1, x in 0:W + 1 }",
         around_tile_edges({{"N", 1}, {"C", 2}, {"H", 3}, {"W", 7}, {"K", 9}, {"R", 3}}, {"W", "K"})},
        {"ConvolutionOfPlanes",
         "kernel k(X: f32[N, C, H pad P, W pad P] else 0, F: f32[K, C, R, S], T: size = 1, P: size = 1) -> Y: f32[N, "
         "K, "
         "OH, OW] { Y[n,k,y,x] += X[n, c, T*y + r - P, T*x + s - P]*F[k,c,r,s] }",
         around_tile_edges({{"N", 2}, {"C", 2}, {"H", 5}, {"W", 7}, {"K", 9}, {"R", 3}, {"S", 3}},
                           {"W", "H", "K", "C"})},
        {"ConvolutionOfPlanesByTwo",
         "kernel k(X: f32[C, H pad 1, W pad 1] else 0, F: f32[K, C, R, S], b: f32[K]) -> Y: f32[K, OH, OW] {"
         " Z[k,y,x] = b[k]; Z[k,y,x] += X[c, 2*y + r - 1, 2*x + s - 1]*F[k,c,r,s]; Y[k,y,x] = max(Z[k,y,x], 0) }",
         around_tile_edges({{"C", 3}, {"H", 5}, {"W", 31}, {"K", 9}, {"R", 3}, {"S", 3}}, {"W", "K"})},
        {"GroupsOfPlanesWithoutEdges",
         "Y[n,g,k,y,x] += X[n,g,c,y+r,x+s]*F[g,k,c,r,s]",
         {{{"X.0", 3}, {"X.1", 2}, {"X.2", 4}, {"X.3", 6}, {"X.4", 18}, {"F.1", 8}, {"F.3", 3}, {"F.4", 2}},
          {{"X.0", 1}, {"X.1", 5}, {"X.2", 1}, {"X.3", 3}, {"X.4", 33}, {"F.1", 1}, {"F.3", 3}, {"F.4", 3}},
          {{"X.0", 1}, {"X.1", 1}, {"X.2", 40}, {"X.3", 70}, {"X.4", 65}, {"F.1", 3}, {"F.3", 2}, {"F.4", 2}},
          {{"X.0", 1}, {"X.1", 1}, {"X.2", 40}, {"X.3", 6}, {"X.4", 65}, {"F.1", 40}, {"F.3", 2}, {"F.4", 2}}}},
        {"VolumesWhoseEdgesAreMirrored",
         "kernel k(X: f64[C, D pad 1, H pad 1, W pad 1] else reflect, F: f64[K, C, 3, 3, 3]) -> Y: f64[K, D, H, W] {"
         " Y[k,z,y,x] += X[c, z + q - 1, y + r - 1, x + s - 1]*F[k,c,q,r,s] }",
         {{{"C", 2}, {"D", 3}, {"H", 4}, {"W", 17}, {"K", 5}}, {{"C", 1}, {"D", 2}, {"H", 5}, {"W", 9}, {"K", 12}}}},
        {"PlanesOfBytes",
         "kernel k(X: u8[C, H pad 1, W pad 1] else 3, F: i8[K, C, 3, 3]) -> Y: i32[K, H, W] {"
         " Y[k,y,x] += i32(X[c, y + r - 1, x + s - 1])*i32(F[k,c,r,s]) }",
         around_tile_edges({{"C", 2}, {"H", 4}, {"W", 9}, {"K", 5}}, {"W"})},
        {"PlanesReadTwice",
         "kernel k(X: f32[C, H pad 1, W pad 1] else edge, F: f32[K, C, 3, 3]) -> (Y: f32, Z: f32) {"
         " Y[k,y,x] += X[c, y + r - 1, x + s - 1]*F[k,c,r,s]; Z[c,y,x] = X[c, y, x - 1] + X[c, y + 1, x] }",
         around_tile_edges({{"C", 2}, {"H", 4}, {"W", 9}, {"K", 5}}, {"W"})},
        {"FilterBank", "Y[k,x] += X[x + s]*F[k,s]",
         around_tile_edges({{"X.0", 70}, {"F.0", 3}, {"F.1", 5}}, {"X.0", "F.0"})},
        {"RowsOfLinesOfChannels", "Y[k,x] += X[x + s, c]*F[k,s,c]",
         around_tile_edges({{"X.0", 70}, {"X.1", 3}, {"F.0", 3}, {"F.1", 5}}, {"X.0", "X.1"})},
        {"FilterOfEachPlane",
         "kernel k(X: f32[N, C, H pad P, W pad P] else 0, F: f32[C, R, S], T: size = 1, P: size = 1) -> Y: f32[N, C, "
         "OH, "
         "OW] { Y[n,c,y,x] += X[n, c, T*y + r - P, T*x + s - P]*F[c,r,s] }",
         around_tile_edges({{"N", 2}, {"C", 3}, {"H", 9}, {"W", 7}, {"R", 3}, {"S", 3}}, {"W", "H", "C"})},
        {"PoolingOfPlanes",
         "kernel k(X: f32[C, H pad 1, W pad 1] else lowest, b: f32[W]) -> Y: f32[C, OH, OW] {"
         " Z[c,y,x] max= X[c, 2*y + r - 1, 2*x + s - 1] where r in 0:3, s in 0:3; Y[c,y,x] = Z[c,y,x] - b[x] }",
         around_tile_edges({{"C", 3}, {"H", 40}, {"W", 7}}, {"W", "H"})},
        {"PoolingOfPlanesOfBytesThatWrap",
         "kernel k(X: u8[C, H pad 1, W pad 2] else wrap) -> Y: u8[C, H, W] {"
         " Y[c,y,x] max= X[c, y + r - 1, x + s - 2] where r in 0:3, s in 0:5 }",
         {{{"C", 2}, {"H", 5}, {"W", 17}}, {{"C", 1}, {"H", 17}, {"W", 3}}, {{"C", 3}, {"H", 3}, {"W", 67}}}},
        {"Pooling",
         "kernel k(X: f32[H pad 1, W pad 1, C] else lowest) -> Y: f32[OH, OW, C] {"
         " Y[y,x,c] max= X[2*y + r - 1, 2*x + s - 1, c] where r in 0:3, s in 0:3 }",
         around_tile_edges({{"H", 5}, {"W", 6}, {"C", 3}}, {"C"})},
        {"PoolingOfOnePlane",
         "kernel k(X: f32[H pad 1, W pad 1] else edge) -> Y: f32[H, W] {"
         " Y[y,x] max= X[y + r - 1, x + s - 1] where r in 0:3, s in 0:3 }",
         {{{"H", 1}, {"W", 1}},
          {{"H", 9}, {"W", 3}},
          {{"H", 8}, {"W", 4}},
          {{"H", 17}, {"W", 17}},
          {{"H", 3}, {"W", 67}}}},
        {"MeanOfWindows",
         "kernel k(X: f32[H pad 1, W, C] else 0) -> Y: f32[OH, OW, C] {"
         " Z[y,x,c] += X[2*y + r - 1, 2*x + s, c] where r in 0:3, s in 0:2; Y[y,x,c] = Z[y,x,c]/6 }",
         around_tile_edges({{"H", 5}, {"W", 6}, {"C", 3}}, {"C"})},
        {"FewFilters",
         "kernel k(X: f32[H pad 1, W pad 1, C] else 0, F: f32[R, S, C, K], T: size = 1) -> Y: f32[OH, OW, K] {"
         " Y[y,x,k] += X[T*y + r - 1, T*x + s - 1, c]*F[r,s,c,k] }",
         {{{"H", 4}, {"W", 13}, {"C", 3}, {"R", 3}, {"S", 3}, {"K", 3}},
          {{"H", 4}, {"W", 14}, {"C", 0}, {"R", 3}, {"S", 3}, {"K", 8}},
          {{"H", 2}, {"W", 14}, {"C", 1}, {"R", 3}, {"S", 3}, {"K", 16}},
          {{"H", 0}, {"W", 29}, {"C", 3}, {"R", 1}, {"S", 3}, {"K", 4}},
          {{"H", 3}, {"W", 31}, {"C", 2}, {"R", 3}, {"S", 3}, {"K", 1}, {"T", 2}}}},
        {"ChannelMix", "kernel k(X: f32[H, W, C], M: f32[K, C]) -> Y: f32[H, W, K] { Y[y,x,k] += M[k,c]*X[y,x,c] }",
         around_tile_edges({{"H", 3}, {"W", 65}, {"C", 3}, {"K", 1}}, {"W", "C", "K"})},
        {"SeparableWindows",
         "kernel k(X: f32[H pad R, W pad R] else edge, G: f32[N], R: size) -> Y: f32[H, W] {"
         " U[y,x] += G[t]*X[y - R, x + t - R]; Y[y,x] += G[t]*U[y + t, x] }",
         {{{"H", 1}, {"W", 1}, {"N", 3}, {"R", 1}},
          {{"H", 31}, {"W", 5}, {"N", 3}, {"R", 1}},
          {{"H", 32}, {"W", 16}, {"N", 5}, {"R", 2}},
          {{"H", 33}, {"W", 63}, {"N", 3}, {"R", 1}},
          {{"H", 66}, {"W", 65}, {"N", 5}, {"R", 2}}}},
        {"PartOfARowOfWindows",
         "kernel k(X: f32[H, W], G: f32[N]) -> Y: f32[H, 4] { U[y,x] += G[t]*X[y, x + t]; Y[y,j] = U[y, j + 3]*2 }",
         {{{"H", 2}, {"W", 9}, {"N", 3}}, {{"H", 2}, {"W", 69}, {"N", 3}}}},
        {"WindowsOfALine", "kernel k(X: i8[N pad 1] else lowest) -> Y: i8[N] { Y[i] max= X[i + r - 1] where r in 0:3 }",
         around_tile_edges({{"N", 300}}, {"N"})},
        {"DilatedWindowsOfALine", "Y[x] += X[x + 3*r]*F[r]", around_tile_edges({{"X.0", 40}, {"F.0", 5}}, {"X.0"})},
        {"LowerHalfOfAProduct",
         "kernel k(A: f32[N, K], B: f32[M, K]) -> Y: f32 { Y[i,j] += A[i,k]*B[j,k] where j <= i }",
         {{{"N", 70}, {"M", 70}, {"K", 9}}, {{"N", 33}, {"M", 129}, {"K", 3}}, {{"N", 1}, {"M", 40}, {"K", 0}}}},
        {"PartsOfAProductBelowAndAbove",
         "kernel k(A: f32[N, K], B: f32[M, K], C: f32[N, M]) -> Y: f32 { Z[i,j] += A[i,k]*B[j,k]; "
         "Y[i,j] = select(j > i + 3 or i + j < 20, C[i,j]*Z[i,j], C[i,j]) }",
         {{{"N", 70}, {"M", 70}, {"K", 9}}, {{"N", 33}, {"M", 129}, {"K", 3}}, {{"N", 5}, {"M", 6}, {"K", 4}}}},
        {"RowsOfATriangle",
         "kernel k(A: f32[N, N], B: f32[N, M]) -> Y: f32 { Y[i,j] += A[i,k]*B[k,j] where k <= i }",
         {{{"N", 70}, {"M", 70}}, {{"N", 33}, {"M", 129}}, {{"N", 5}, {"M", 6}}}},
        {"SumsThatAConditionOnDataChooses",
         "kernel k(A: f32[N, K], B: f32[M, K], F: u8[N, M]) -> Y: f32 { Z[i,j] += A[i,k]*B[j,k]; "
         "Y[i,j] = select(F[i,j] > 128, Z[i,j], 1) }",
         {{{"N", 70}, {"M", 70}, {"K", 9}}, {{"N", 33}, {"M", 129}, {"K", 3}}}},
        {"InnerPartsOfWhatIsComputed",
         "kernel k(X: f32[N, M]) -> Y: f32 { S[i,j] = exp(X[i,j]); Y[i,j] = S[i,j]; "
         "Y[i,j] = 0.25*(S[i-1,j] + S[i+1,j] + S[i,j-1] + S[i,j+1]) where i in 1:N-1, j in 1:M-1 }",
         around_tile_edges({{"N", 5}, {"M", 6}}, {"N", "M"})},
        {"PartsThatReadRowsBesideThem",
         "kernel k(X: f32[N, M]) -> A: f32 { A[i,j] = X[i,j]; A[i,0] = A[i,0]*A[0,0] where i in 1:N; "
         "A[i,j] += -A[i,0]*A[0,j] where i in 1:N, j in 1:M }",
         around_tile_edges({{"N", 5}, {"M", 6}}, {"N", "M"})},
        {"PartsWorthThreads",
         "kernel k(X: f32[N, M]) -> A: f32 { A[i,j] = X[i,j]; A[i,j] += -A[i,0]*A[0,j] where i in 1:N, j in 1:M }",
         {{{"N", 300}, {"M", 513}}, {{"N", 9000}, {"M", 17}}}},
        {"PartsWithAPredicate",
         "kernel k(X: f32[N, M]) -> Y: f32 { S[i,j] = exp(X[i,j]); Y[i,j] = S[i,j]; "
         "Y[i,j] = S[i-1,j] + S[i,j+1] where i in 1:N-1, j in 1:M-1, (i + j) % 2 == 1 }",
         around_tile_edges({{"N", 5}, {"M", 6}}, {"N", "M"})},
        {"Scan",
         "kernel k(X: f32[B, N]) -> Y: f32[B, N] { Y[b,0] = X[b,0]; Y[b,n] = Y[b,n-1] + X[b,n] where n in 1:N }",
         around_tile_edges({{"B", 3}, {"N", 5}}, {"B", "N"})},
        {"ScanOfAnIntermediate",
         "kernel k(X: f32[B, N]) -> Y: f32[B, N] { S[b,0] = 0; S[b,n] = S[b,n-1] + X[b,n-1] where n in 1:N+1; Y[b,n] = "
         "S[b,n+1] - X[b,n] }",
         around_tile_edges({{"B", 3}, {"N", 5}}, {"B", "N"})},
        {"ScanWorthThreads",
         "kernel k(X: i32[B, N]) -> Y: i32[B, N] { S[b,0] = 0; S[b,n] = max(S[b,n-1], X[b,n-1]) where n in 1:N+1; "
         "Y[b,n] "
         "= S[b,n+1] }",
         {{{"B", 300}, {"N", 500}}}},
        {"CountsOfBytes", "kernel k(X: u8[N]) -> H: i32[256] { H[X[n]] += i32(1) }",
         around_tile_edges({{"N", 9}}, {"N"})},
        {"Scatter", "kernel k(I: i32[N], W: f32[N], M: size) -> H: f32[M] { H[I[n]] += W[n] }",
         around_tile_edges({{"N", 9}, {"M", 5}}, {"N"})},
        {"Gather", "kernel k(X: f32[V, D], I: i32[N]) -> Y: f32[N, D] { Y[n,d] = X[I[n], d] }",
         around_tile_edges({{"V", 7}, {"D", 5}, {"N", 4}}, {"D", "N"})},
        {"RowsOfStages",
         "kernel k(X: f32[B, N]) -> Y: f32 { M[b] max= X[b,n]; E[b,n] = exp(X[b,n] - M[b]); S[b] += E[b,n]; Y[b,n] = "
         "E[b,n]/S[b] }",
         around_tile_edges({{"B", 3}, {"N", 5}}, {"B", "N"})},
        {"Epilogue",
         "kernel k(A: f32[M, K], B: f32[K, N], c: f32[N]) -> Y: f32 { Z[m,n] = c[n]; Z[m,n] += A[m,k]*B[k,n]; Y[m,n] = "
         "max(Z[m,n], 0) }",
         around_tile_edges({{"M", 9}, {"K", 3}, {"N", 17}}, {"M", "N"})},
        {"SumsOfRowsWhileTheyAreSmall", "Y[i] += X[i,k] where Y[i] < 3.0",
         around_tile_edges({{"X.0", 5}, {"X.1", 37}}, {"X.0", "X.1"})},
        {"SumsOfWindowsWhileTheyAreSmall",
         "Y[x,k] += X[x+s,c]*F[s,c,k] where Y[x,k] < 3.0",
         {{{"X.0", 19}, {"X.1", 40}, {"F.0", 3}, {"F.2", 33}}, {{"X.0", 9}, {"X.1", 2}, {"F.0", 2}, {"F.2", 5}}}},
        {"UpdateInPlace",
         "kernel k(A: f32[M, K], B: f32[K, N], c: f32[N]) -> Y: f32 { Y[m,n] = c[n]; Y[m,n] += A[m,k]*B[k,n]; Y[m,n] = "
         "max(Y[m,n], 0) }",
         around_tile_edges({{"M", 9}, {"K", 3}, {"N", 17}}, {"M", "N"})},
        {"Bytes", "kernel k(A: u8[M, K], B: i8[K, N]) -> C: i32 { C[m,n] += i32(A[m,k])*i32(B[k,n]) }",
         around_tile_edges({{"M", 9}, {"K", 3}, {"N", 17}}, {"M", "K", "N"})},
        {"BytesTimesColumnsOfBytes",
         "kernel k(A: i8[L, M, K], B: u8[N, K]) -> C: i32 { C[l,m,n] += i32(A[l,m,k])*i32(B[n,k]) }",
         around_tile_edges({{"L", 2}, {"M", 9}, {"N", 17}, {"K", 7}}, {"M", "N", "K"})},
        {"BytesOfPartsOfRows",
         "kernel k(A: u8[M, K], B: i8[K, N], L: size) -> C: i32 { C[m,n] += i32(A[m,k])*i32(B[k,n]) where k in 0:L }",
         {{{"M", 9}, {"N", 17}, {"K", 7}, {"L", 5}}, {{"M", 33}, {"N", 40}, {"K", 64}, {"L", 63}}}},
        {"ProductOfHalves", "kernel k(A: bf16[M, K], B: bf16[K, N]) -> C: f32 { C[m,n] += f32(A[m,k])*f32(B[k,n]) }",
         around_tile_edges({{"M", 9}, {"N", 17}, {"K", 7}}, {"M", "N", "K"})},
        {"Halves", "kernel k(A: f16[M, N], B: bf16[M, N]) -> C: f16 { C[m,n] = f16(f32(A[m,n]) + f32(B[m,n])) }",
         around_tile_edges({{"M", 3}, {"N", 5}}, {"N"})},
    };
    return all;
}

/// How tensor `number` (outputs last) lies: all alike for the first four layouts, in mixed orders for the others.
int layout_of(int layout, int number, bool output) {
    if (layout < 4) return layout;
    if (layout == 4) return number % 2;      // every second one column-major
    if (layout == 5) return 1 - number % 2;  // the others
    if (layout == 6) return output ? 0 : 1;  // the output alone row-major
    if (layout == 7) return output ? 1 : 0;  // the output alone column-major
    return number % 2 ? 2 : output ? 3 : 1;  // with gaps, reversed and column-major side by side
}

/// Strides that list the elements in another order, with gaps: column-major, padded rows, reversed.
HostTensor relaid(const HostTensor& dense, int layout) {
    std::vector<std::int64_t> strides(dense.rank());
    std::int64_t step = 1;
    for (int i = 0; i < dense.rank(); i++) {
        const int d = layout == 1 ? i : dense.rank() - 1 - i;
        strides[d] = layout == 3 ? -step : step;
        step *= std::max<std::int64_t>(dense.extents()[d], 1) + (layout == 2 ? 3 : 0);
    }
    HostTensor result(dense.type(), dense.extents(), strides);
    std::vector<std::int64_t> index(dense.rank(), 0);
    for (std::int64_t n = 0; n < dense.elements(); n++) {
        std::int64_t rest = n;
        for (int d = dense.rank(); d-- > 0; rest /= dense.extents()[d]) index[d] = rest % dense.extents()[d];
        const std::int64_t to = result.offset_of(index), from = dense.offset_of(index);
        if (is_float(dense.type()))
            result.set_real(to, dense.real(from));
        else
            result.set_integer(to, dense.integer(from));
    }
    return result;
}

/// Zen 4's leg adds instructions for bytes and 16-bit floats alone: on other types, where its recipe is that of avx512, it runs
/// the same loops, and compiling them once more would find nothing.
bool repeats_avx512(const Kernel& kernel, const Leg& leg) {
    if (leg.name != "zen4") return false;
    for (const Tensor& t : kernel.tensors)
        if (bytes_of(t.type) < 4) return false;
    const Solution open = solve_open(kernel);
    return recipe(kernel, open, machine_of(leg)).steps == recipe(kernel, open, machine_of(*find_leg("avx512"))).steps;
}

void PrintTo(const Case& c, std::ostream* out) { *out << c.text; }

class Recipe : public testing::TestWithParam<Case> {};

TEST_P(Recipe, GivesTheInterpretersAnswerAroundEveryTileEdgeOnEveryLeg) {
    const Case& c = GetParam();
    const Kernel kernel = parse(c.text).value().kernels.front();
    for (const Leg& leg : all_legs()) {
        if (!runs_here(leg) || repeats_avx512(kernel, leg)) continue;
        const Executor executor(kernel, leg, {});
        EXPECT_EQ(executor.note(), "");  // no plain schedule
        for (const Settings& settings : c.sizes) {
            const auto numbers = solve(kernel, settings);
            if (!numbers) continue;  // an extent the guards refuse: its status is tested with the calls
            CallData data{numbers.value(), {}, c.scalars};
            for (const Tensor* input : kernel.inputs())
                data.inputs.emplace(input->name, random_tensor(kernel, data.numbers, *input, 7));
            const Tensors dense = data.inputs;
            for (int layout = 0; layout < 9; layout++) {
                // Of many sizes each is met in one of the mixed orders.
                if (layout >= 4 && c.sizes.size() > 10 && layout != 4 + (&settings - c.sizes.data()) % 5) continue;
                std::string sizes = leg.name + ", layout " + std::to_string(layout);
                for (const auto& [name, value] : settings) sizes += ", " + name + " = " + std::to_string(*value);
                SCOPED_TRACE(sizes);
                int number = 0;
                for (const auto& [name, tensor] : dense)
                    data.inputs[name] = relaid(tensor, layout_of(layout, number++, false));
                Tensors outputs = executor.make_outputs(data);
                for (auto& [name, tensor] : outputs) tensor = relaid(tensor, layout_of(layout, number++, true));
                try {
                    executor.check_guards(data);
                    executor.prepare(data, outputs)();
                    verify(kernel, data, outputs);
                } catch (const Failure& failure) {
                    FAIL() << failure.error().what;
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(OfClass, Recipe, testing::ValuesIn(cases()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace halogen

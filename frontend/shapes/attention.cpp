// Attention: softmax(Q K^T) V.

#include "frontend/shapes/families.h"
#include "frontend/shapes/rules.h"

#include <fmt/format.h>

namespace halogen::shapes {

namespace {

/// With `enable_gqa`, each head of key and value serves as many heads of the query as divide.
void share_heads(Call& call, const Shape& query, Shape& key, Shape& value) {
    const auto heads = [](Shape& s) -> Formula& { return s[s.size() - 3]; };
    if (query.size() < 3 || key.size() < 3 || value.size() < 3)
        call.refuse(Refused::rank, "`enable_gqa` needs a dim of heads");
    const Formula wanted = query[query.size() - 3];
    for (Shape* s : {&key, &value}) {
        call.require(at_least(heads(*s), 1), Refused::size_mismatch, "heads of key and value");
        call.require(divides(heads(*s), wanted), Refused::size_mismatch,
                     "heads of the query that divide by those of key and value");
        heads(*s) = wanted;
    }
}

Results attention(Call& call) {
    for (const char* name : {"query", "key", "value"}) require_rank(call, name, 2, any_rank);
    require_one_type(call, {"query", "key", "value"});
    const Shape& query = call.shape("query");
    Shape key = call.shape("key"), value = call.shape("value");
    if (call.flag("enable_gqa")) share_heads(call, query, key, value);
    if (call.flag("is_causal") && call.has("attn_mask"))
        call.refuse(Refused::bad_mode, "`attn_mask` is given together with `is_causal`");
    const auto batch_of = [](const Shape& s) { return first(s, static_cast<int>(s.size()) - 2); };
    const Shape scored = broadcast(call, {batch_of(query), batch_of(key)}),
                batch = broadcast(call, {scored, batch_of(value)});
    if (call.has("attn_mask")) {
        const Shape scores = scored + Shape{query[query.size() - 2], key[key.size() - 2]};
        require_expands(call, "`attn_mask`", call.shape("attn_mask"), scores);
    }
    const int rank = static_cast<int>(batch.size());
    const std::string n = numbered("N", rank), i = numbered("i", rank);
    const auto at = [&](const char* a, const char* b) { return listed({i, a, b}); };
    const std::string text = fmt::format(
        "kernel k(query: f32[{}], key: f32[{}], value: f32[{}]) -> Y: f32 {{ A[{}] += query[{}]*key[{}]; E[{}] = "
        "exp(A[{}]); "
        "Y[{}] += E[{}]*value[{}] }}",
        listed({n, "L, E"}), listed({n, "S, E"}), listed({n, "S, V"}), at("l", "s"), at("l", "e"), at("s", "e"),
        at("l", "s"), at("l", "s"), at("l", "v"), at("l", "s"), at("s", "v"));
    return one(call.derive(
        text,
        {{"query", batch + last(query, 2)}, {"key", batch + last(key, 2)}, {"value", batch + last(value, 2)}})[0]);
}

}  // namespace

// clang-format off
Family attention_family() {
    return {"attention", "Softmax of products of queries and keys, times values", {
        {"sdpa", "query: floats, key: floats, value: floats, attn_mask: tensor? = null, dropout_p: number = 0, is_causal: bool = false, scale: number? = null, enable_gqa: bool = false", attention,
                 "(query: f32[N0, L, E], key: f32[N0, S, E], value: f32[N0, S, V]) -> Y: f32 { A[i0, l, s] += query[i0, l, e]*key[i0, s, e]; E[i0, l, s] = exp(A[i0, l, s]); Y[i0, l, v] += E[i0, l, s]*value[i0, s, v] }"},
    }};
}
// clang-format on

}  // namespace halogen::shapes

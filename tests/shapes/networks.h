#pragma once
// Networks as programs of operators, with symbolic sizes.

#include "frontend/shapes/program.h"

namespace halogen::test {

/// `length` convolutions 3x3 over [n, 8, h, w], one after the other, without padding.
shapes::StepProgram convolution_chain(int length);

/// ResNet-50 on [n, 3, h, w], with batch norm; the result is `logits`, [n, 1000].
shapes::StepProgram resnet50();

/// Layers of attention and feed-forward, 12 heads of 64, on tokens [b, s]; the result is `logits`, [b, s, 50257].
shapes::StepProgram transformer(int layers);

}  // namespace halogen::test

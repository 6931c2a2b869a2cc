// SPDX-License-Identifier: Apache-2.0
#include "engine/report/kinds.h"

#include <string>
#include <unordered_map>

namespace opscope::report {

namespace {

struct WordList {
  OpKind kind;
  std::string_view words;  ///< parted by spaces, lower case, without digits at the end
};

// Words of Relax's and Topi's op names, and of common kernel libraries. Names of vm.builtin functions have
// rules of their own, below.
constexpr WordList kWordLists[] = {
    {OpKind::Convolution,
     "conv conv1d conv2d conv3d convolution deconv deconv1d deconv2d deconv3d deconvolution depthwise "
     "winograd "
     "im2col col2im"},
    {OpKind::MatrixProduct,
     "matmul dense gemm gemv bmm linear einsum dot matvec outer nt tensordot matrix multiplication "},
    {OpKind::Attention, "attention attn sdpa mha mqa gqa flashattention flashinfer"},
    {OpKind::Normalisation,
     "norm normalize normalise normalization normalisation batchnorm layernorm groupnorm instancenorm "
     "rmsnorm lrn "
     "bn ln"},
    {OpKind::Pooling, "pool pool1d pool2d pool3d pooling maxpool avgpool maxpool2d avgpool2d"},
    {OpKind::Reduction,
     "sum min max softmax logsoftmax mean prod argmax argmin reduce variance var std median all any cumsum "
     "cumprod "
     "logsumexp topk sort argsort unique bucketize"},
    {OpKind::DataMovement,
     "concat concatenate pad transpose reshape slice gather scatter split stack take tile repeat flip roll "
     "squeeze "
     "unsqueeze expand dims flatten broadcast copy layout permute strided resize resize1d resize2d resize3d "
     "upsampling crop embedding index put space depth meshgrid tril triu reverse rearrange im unravel grid "
     "append "
     "memcpy nonzero hot pixel shuffle unique wrap"},
    {OpKind::Elementwise,
     "add subtract sub multiply mul divide div floor ceil round trunc power pow sqrt rsqrt exp exp2 log log2 "
     "log10 "
     "log1p erf relu relu6 leakyrelu gelu silu swish mish sigmoid tanh hardswish hardsigmoid elu selu "
     "softplus prelu "
     "clip clamp where select cast astype negative neg abs sign sin cos tan asin acos atan sinh cosh equal "
     "greater "
     "less not and or xor logical bitwise maximum minimum mod remainder square isnan isinf isfinite full "
     "zeros "
     "ones arange dropout rope rotary bias scale quantize dequantize leaky shift left right"},
};

using Words = std::unordered_map<std::string_view, OpKind>;

/// A word in two lists has the kind of the earlier one.
Words buildWords() {
  Words words;
  for (const WordList& list : kWordLists) {
    std::string_view rest = list.words;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      if (end > 0) words.try_emplace(rest.substr(0, end), list.kind);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return words;
}

std::string_view withoutDigits(std::string_view word) {
  while (!word.empty() && word.back() >= '0' && word.back() <= '9') word.remove_suffix(1);
  return word;
}

std::string lowerCase(std::string_view text) {
  std::string lower(text);
  for (char& character : lower) {
    if (character >= 'A' && character <= 'Z') character = static_cast<char>(character - 'A' + 'a');
  }
  return lower;
}

}  // namespace

OpKind kindOf(std::string_view opName) {
  constexpr std::string_view kBuiltin = "vm.builtin.";
  if (opName.starts_with(kBuiltin)) {
    const std::string_view builtin = opName.substr(kBuiltin.size());
    return builtin.starts_with("alloc") || builtin == "null_value" ? OpKind::Memory : OpKind::Vm;
  }
  static const Words kWords = buildWords();
  const std::string lower = lowerCase(opName);
  OpKind best = OpKind::Other;
  std::string_view rest = lower;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('_'), rest.size());
    const auto word = kWords.find(withoutDigits(rest.substr(0, end)));
    if (word != kWords.end() && word->second < best) best = word->second;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return best;
}

std::string_view kindName(OpKind kind) {
  switch (kind) {
    case OpKind::Memory:
      return "Memory";
    case OpKind::Vm:
      return "VM";
    case OpKind::Convolution:
      return "Convolution";
    case OpKind::MatrixProduct:
      return "Matrix product";
    case OpKind::Attention:
      return "Attention";
    case OpKind::Normalisation:
      return "Normalisation";
    case OpKind::Pooling:
      return "Pooling";
    case OpKind::Reduction:
      return "Reduction";
    case OpKind::DataMovement:
      return "Data movement";
    case OpKind::Elementwise:
      return "Elementwise";
    case OpKind::Other:
      break;
  }
  return "Other";
}

}  // namespace opscope::report

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Published models for `import_coverage.py`: of torchvision, timm and transformers, small, with random weights."""

import functools
from typing import Any, Callable, Dict, List, NamedTuple

import torch


class Model(NamedTuple):
    module: Any
    inputs: List[Any]
    # Selects the output in the result of the module.
    output: Callable[[Any], Any] = lambda result: result


Makers = Dict[str, Callable[[], Model]]

# The arguments that transformers' configurations share; some have other names for them, and map these.
SIZES = {"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 40,
         "vocab_size": 50, "max_position_embeddings": 32, "pad_token_id": 0, "bos_token_id": 1,
         "eos_token_id": 2}  # fmt: skip


def image(size: int = 64, channels: int = 3) -> List[Any]:
    return [torch.randn(2, channels, size, size)]


def torchvision_models() -> Makers:
    import torchvision.models as tv

    names = ["alexnet", "resnet18", "mobilenet_v2", "mobilenet_v3_small", "mobilenet_v3_large", "squeezenet1_0",
             "squeezenet1_1", "shufflenet_v2_x0_5", "mnasnet0_5", "efficientnet_b0", "regnet_x_400mf",
             "regnet_y_400mf", "vgg11_bn"]  # fmt: skip
    found: Makers = {name: (lambda own=name: Model(getattr(tv, own)(num_classes=5), image())) for name in names}
    blocks = [tv.convnext.CNBlockConfig(12, 24, 1), tv.convnext.CNBlockConfig(24, None, 1)]
    bottleneck = functools.partial(tv.ResNet, tv.resnet.Bottleneck, [1, 1, 1, 1], num_classes=5)
    attention = {"embed_dim": 24, "depths": [2, 2], "num_heads": [2, 4], "window_size": [4, 4]}
    video = [torch.randn(1, 3, 4, 32, 32)]

    def of_out(result: Any) -> Any:
        return result["out"]

    def video_resnet(block: Any, convolution: Any, stem: Any) -> Any:
        return tv.video.resnet.VideoResNet(block, [convolution] * 4, [1, 1, 1, 1], stem, num_classes=5)

    parts = tv.video.resnet
    found |= {
        "resnext": lambda: Model(bottleneck(groups=8, width_per_group=4), image()),
        "wide_resnet": lambda: Model(bottleneck(width_per_group=96), image()),
        "inception_v3": lambda: Model(tv.inception_v3(num_classes=5, aux_logits=False, init_weights=False), image(75)),
        "googlenet": lambda: Model(tv.googlenet(num_classes=5, aux_logits=False, init_weights=False), image()),
        "densenet": lambda: Model(tv.DenseNet(8, (2, 2), 16, num_classes=5), image()),
        "convnext": lambda: Model(tv.convnext.ConvNeXt(blocks, num_classes=5), image()),
        "vit": lambda: Model(tv.VisionTransformer(32, 8, 2, 3, 48, 64, num_classes=5), image(32)),
        "swin": lambda: Model(tv.SwinTransformer([4, 4], **attention, num_classes=5), image()),
        "swin_v2": lambda: Model(
            tv.SwinTransformer([4, 4], **attention, num_classes=5, block=tv.swin_transformer.SwinTransformerBlockV2,
                               downsample_layer=tv.swin_transformer.PatchMergingV2), image()),
        "maxvit": lambda: Model(
            tv.MaxVit((64, 64), 16, 4, [16, 32], [1, 1], 16, 0.1, num_classes=5), image()),
        "lraspp": lambda: Model(
            tv.segmentation.lraspp_mobilenet_v3_large(weights=None, weights_backbone=None, num_classes=3), image(),
            of_out),
        "deeplab_v3": lambda: Model(
            tv.segmentation.deeplabv3_mobilenet_v3_large(weights=None, weights_backbone=None, num_classes=3), image(),
            of_out),
        "r3d": lambda: Model(video_resnet(parts.BasicBlock, parts.Conv3DSimple, parts.BasicStem), video),
        "r2plus1d": lambda: Model(video_resnet(parts.BasicBlock, parts.Conv2Plus1D, parts.R2Plus1dStem), video),
        "mc3": lambda: Model(video_resnet(parts.BasicBlock, parts.Conv3DNoTemporal, parts.BasicStem), video),
        "swin3d": lambda: Model(
            tv.video.SwinTransformer3d([2, 4, 4], 24, [2, 2], [2, 4], [2, 4, 4], num_classes=5),
            [torch.randn(1, 3, 4, 32, 32)]),
    }  # fmt: skip
    return found


def timm_models() -> Makers:
    import timm

    def make(name: str, size: int = 64, **options: Any) -> Callable[[], Model]:
        return lambda: Model(timm.create_model(name, pretrained=False, num_classes=5, **options), image(size))

    mlps = timm.models.mlp_mixer

    def mixer(**options: Any) -> Callable[[], Model]:
        sizes = {"img_size": 32, "patch_size": 8, "num_blocks": 2, "embed_dim": 24}
        return lambda: Model(mlps.MlpMixer(num_classes=5, **sizes, **options), image(32))

    def metaformer(mixer: str) -> Callable[[], Model]:
        parts = timm.models.metaformer
        return lambda: Model(
            parts.MetaFormer(
                num_classes=5, depths=(1, 1, 1, 1), dims=(16, 32, 32, 64), token_mixers=getattr(parts, mixer)
            ),
            image(),
        )

    small = {"embed_dim": 24, "depth": 2, "num_heads": 2}
    vision = {"img_size": 32, "patch_size": 8, **small}
    shallow = {"depths": (1, 1, 1, 1)}
    narrow = {**shallow, "dims": (8, 16, 24, 32)}
    return {
        "deit": make("deit_tiny_patch16_224", 32, **vision),
        "beit": make("beit_base_patch16_224", 32, **vision),
        "eva": make("eva02_tiny_patch14_224", 32, img_size=32, patch_size=8, embed_dim=32, depth=2, num_heads=2),
        "cait": make("cait_xxs24_224", 32, **vision),
        "xcit": make("xcit_nano_12_p16_224", 32, img_size=32, patch_size=8, embed_dim=32, depth=2, num_heads=4),
        "mixer": mixer(),
        "gmlp": mixer(block_layer=mlps.SpatialGatingBlock, mlp_layer=timm.layers.GatedMlp, mlp_ratio=2),
        "resmlp": mixer(block_layer=mlps.ResBlock, norm_layer=mlps.Affine, mlp_ratio=4),
        "convmixer": lambda: Model(timm.models.convmixer.ConvMixer(24, 2, num_classes=5), image(32)),
        "convnext_v2": make("convnextv2_atto", **narrow),
        "edgenext": make("edgenext_xx_small", **shallow),
        "inception_next": make("inception_next_tiny", depths=(1, 1, 1, 1), dims=(16, 32, 48, 64)),
        "focalnet": lambda: Model(
            timm.models.focalnet.FocalNet(num_classes=5, embed_dim=24, depths=(1, 1), focal_levels=(2, 2)), image()),
        "poolformer": metaformer("Pooling"),
        "convformer": metaformer("SepConv"),
        "pvt_v2": make("pvt_v2_b0"),
        "coatnet": make("coatnet_nano_rw_224", img_size=64),
        "davit": make("davit_tiny", depths=(1, 1), embed_dims=(24, 48), num_heads=(2, 4), window_size=4),
        "nest": lambda: Model(
            timm.models.nest.Nest(64, num_levels=2, num_classes=5, embed_dims=(24, 48), num_heads=(2, 4),
                                  depths=(1, 1)), image()),
        "twins": make("twins_svt_small", embed_dims=(16, 32, 32, 64), depths=(1, 1, 1, 1), num_heads=(1, 2, 2, 4)),
        "visformer": make("visformer_tiny", img_size=64, embed_dim=48, depth=(1, 1, 1)),
        "levit": make("levit_128s", img_size=64),
        "mobilevit": make("mobilevit_xxs"),
        "mobilevit_v2": make("mobilevitv2_050"),
        "fastvit": make("fastvit_t8", layers=(1, 1, 1, 1)),
        "repvgg": make("repvgg_a0"),
        "ghostnet": make("ghostnet_050"),
        "lcnet": make("lcnet_050"),
        "tinynet": make("tinynet_e"),
        "rexnet": make("rexnet_100"),
        "resnet_d": make("resnet14t"),
        "seresnet": make("seresnet18"),
        "eca_resnet": make("ecaresnet26t", layers=(1, 1, 1, 1)),
        "skresnet": make("skresnet18", layers=(1, 1, 1, 1)),
        "res2net": make("res2net50_26w_4s", layers=(1, 1, 1, 1)),
        "resnest": make("resnest14d"),
        "nfnet": make("nf_regnet_b0"),
        "darknet": make("cspdarknet53"),
        "vovnet": make("ese_vovnet19b_slim"),
        "hgnet": make("hgnetv2_b0"),
        "starnet": make("starnet_s1", depths=(1, 1, 1, 1)),
        "mambaout": make("mambaout_femto", **narrow),
        "sequencer": make("sequencer2d_s", img_size=64, layers=(1, 1, 1, 1), embed_dims=(24, 48, 48, 48),
                          hidden_sizes=(8, 16, 16, 16)),
    }  # fmt: skip


def transformers_models() -> Makers:
    import transformers as t

    ids = [torch.randint(3, 50, (2, 11))]
    photos = [torch.randn(2, 3, 32, 32)]

    def of_logits(result: Any) -> Any:
        return result.logits

    def of_last(result: Any) -> Any:
        return result.last_hidden_state

    def of_pooled(result: Any) -> Any:
        return result.pooler_output

    def generator(name: str, **options: Any) -> Callable[[], Model]:
        def make() -> Model:
            config = getattr(t, f"{name}Config")(**{**SIZES, "use_cache": False, **options})
            return Model(getattr(t, f"{name}ForCausalLM")(config), ids, of_logits)

        return make

    def encoder(name: str, kind: str = "Model", inputs: Any = None, output: Any = of_last,
                **options: Any) -> Callable[[], Model]:  # fmt: skip
        def make() -> Model:
            config = getattr(t, f"{name}Config")(**{**SIZES, **options})
            return Model(getattr(t, f"{name}{kind}")(config), ids if inputs is None else inputs, output)

        return make

    distil = {"dim": 24, "n_layers": 2, "n_heads": 3, "hidden_dim": 40}
    t5 = {"d_model": 24, "d_kv": 8, "d_ff": 40, "num_layers": 2, "num_heads": 3}
    both = {"d_model": 24, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2,
            "decoder_attention_heads": 2, "encoder_ffn_dim": 40, "decoder_ffn_dim": 40, "use_cache": False,
            "decoder_start_token_id": 1}  # fmt: skip
    pair = [*ids, torch.randint(3, 50, (2, 7))]
    vision = {"image_size": 32, "patch_size": 8}
    grouped = {"num_key_value_heads": 2}
    headed = {**grouped, "head_dim": 6}
    gpt = {"n_embd": 24, "n_layer": 2, "n_head": 4, "n_positions": 32}
    speech = {"conv_dim": (16, 16), "conv_stride": (5, 2), "conv_kernel": (10, 3), "num_feat_extract_layers": 2,
              "num_conv_pos_embeddings": 8, "num_conv_pos_embedding_groups": 2, "apply_spec_augment": False,
              "mask_time_prob": 0.0, "layerdrop": 0.0}  # fmt: skip

    def ordered(name: str, **options: Any) -> Callable[[], Model]:
        """An encoder and decoder, whose second input is the decoder's tokens."""
        made = encoder(name, "ForConditionalGeneration", pair, of_logits, **options)

        def make() -> Model:
            model = made()
            return Model(Paired(model.module), model.inputs, model.output)

        return make

    return {
        "gpt2": lambda: Model(t.GPT2LMHeadModel(t.GPT2Config(**{**SIZES, **gpt, "use_cache": False})), ids, of_logits),
        "gpt-neo": generator("GPTNeo", attention_types=[[["global", "local"], 1]], num_layers=2, num_heads=4),
        "gpt-neox": generator("GPTNeoX"),
        "gpt-j": generator("GPTJ", **gpt, rotary_dim=4),
        "gpt-bigcode": generator("GPTBigCode", **gpt),
        "codegen": generator("CodeGen", **gpt, rotary_dim=4),
        "llama": generator("Llama", **grouped),
        "mistral": generator("Mistral", **grouped, sliding_window=4),
        "mixtral": generator("Mixtral", **grouped, num_local_experts=2),
        "qwen2": generator("Qwen2", **grouped),
        "qwen3": generator("Qwen3", **headed),
        "gemma": generator("Gemma", **headed),
        "gemma2": generator("Gemma2", **headed, sliding_window=4, query_pre_attn_scalar=6),
        "gemma3": encoder("Gemma3Text", "Model", **headed, sliding_window=4, query_pre_attn_scalar=6),
        "phi": generator("Phi", partial_rotary_factor=1.0),
        "phi3": generator("Phi3", **grouped),
        "falcon": generator("Falcon"),
        "mpt": generator("Mpt", d_model=24, n_heads=4, n_layers=2, max_seq_len=32, expansion_ratio=2),
        "bloom": generator("Bloom", n_layer=2, n_head=4),
        "opt": generator("OPT", ffn_dim=40, word_embed_proj_dim=24),
        "stablelm": generator("StableLm", **grouped),
        "cohere": generator("Cohere", **grouped),
        "olmo": generator("Olmo"),
        "olmo2": generator("Olmo2"),
        "starcoder2": generator("Starcoder2", **grouped),
        "granite": generator("Granite", **grouped),
        "glm": generator("Glm", **headed),
        "mamba": encoder("Mamba", hidden_size=16, state_size=4, num_hidden_layers=1, use_cache=False),
        "bert": encoder("Bert"),
        "roberta": encoder("Roberta", max_position_embeddings=36),
        "electra": encoder("Electra", embedding_size=16),
        "albert": encoder("Albert", embedding_size=16),
        "distilbert": encoder("DistilBert", **distil),
        "mpnet": encoder("MPNet", max_position_embeddings=36),
        "deberta": encoder("Deberta"),
        "deberta-v2": encoder("DebertaV2", relative_attention=True, pos_att_type=["p2c", "c2p"]),
        "convbert": encoder("ConvBert", embedding_size=24, head_ratio=2),
        "mobilebert": encoder("MobileBert", embedding_size=16, intra_bottleneck_size=16),
        "squeezebert": encoder("SqueezeBert", embedding_size=24),
        "roformer": encoder("RoFormer", embedding_size=24),
        "megatron-bert": encoder("MegatronBert"),
        "rembert": encoder("RemBert", input_embedding_size=16, output_embedding_size=16),
        "ernie": encoder("Ernie"),
        "xlnet": lambda: Model(
            t.XLNetModel(t.XLNetConfig(vocab_size=50, d_model=24, n_layer=2, n_head=4, d_inner=40)), ids, of_last),
        "modernbert": encoder("ModernBert", local_attention=4),
        "esm": encoder("Esm", position_embedding_type="rotary"),
        "fnet": encoder("FNet"),
        "t5 encoder": encoder("T5", "EncoderModel", **t5),
        "t5": ordered("T5", **t5, decoder_start_token_id=0, use_cache=False),
        "bart": ordered("Bart", **both),
        "mbart": ordered("MBart", **both),
        "pegasus": ordered("Pegasus", **both),
        "vit (transformers)": encoder("ViT", inputs=photos, **vision),
        "deit (transformers)": encoder("DeiT", inputs=photos, **vision),
        "dinov2": encoder("Dinov2", inputs=photos, **vision),
        "beit (transformers)": encoder("Beit", inputs=photos, **vision),
        "clip vision": encoder("CLIPVision", inputs=photos, **vision, output=of_pooled),
        "clip text": encoder("CLIPText"),
        "siglip vision": encoder("SiglipVision", inputs=photos, **vision),
        "segformer": encoder("Segformer", inputs=[torch.randn(2, 3, 64, 64)], num_encoder_blocks=2, depths=[1, 1],
                             hidden_sizes=[16, 32], num_attention_heads=[1, 2], sr_ratios=[4, 2], patch_sizes=[7, 3],
                             strides=[4, 2], mlp_ratios=[2, 2]),
        "mobilenet_v1": encoder("MobileNetV1", inputs=[torch.randn(2, 3, 64, 64)], depth_multiplier=0.25),
        "wav2vec2": encoder("Wav2Vec2", inputs=[torch.randn(2, 400)], **speech),
        "hubert": encoder("Hubert", inputs=[torch.randn(2, 400)], **speech),
        "whisper encoder": whisper,
        "patchtst": encoder("PatchTST", inputs=[torch.randn(2, 16, 3)], num_input_channels=3, context_length=16,
                            patch_length=4, patch_stride=4, d_model=24, ffn_dim=40),
    }  # fmt: skip


def whisper() -> Model:
    import transformers as t

    config = t.WhisperConfig(vocab_size=50, num_mel_bins=8, d_model=24, encoder_layers=1, encoder_attention_heads=2,
                             encoder_ffn_dim=40, decoder_layers=1, decoder_attention_heads=2, decoder_ffn_dim=40,
                             max_source_positions=16, pad_token_id=0, bos_token_id=1, eos_token_id=2)  # fmt: skip
    return Model(t.WhisperModel(config).encoder, [torch.randn(2, 8, 32)], lambda result: result.last_hidden_state)


class Paired(torch.nn.Module):  # type: ignore[misc]
    """A model whose second input is the tokens of its decoder."""

    def __init__(self, module: Any):
        super().__init__()
        self.module = module

    def forward(self, tokens: Any, decoded: Any) -> Any:
        return self.module(input_ids=tokens, decoder_input_ids=decoded)


def torch_models() -> Makers:
    from torch import nn

    tokens = [torch.randn(2, 7, 24)]

    def first(result: Any) -> Any:
        return result[0]

    return {
        "lstm": lambda: Model(nn.LSTM(24, 16, 2, batch_first=True), tokens, first),
        "gru": lambda: Model(nn.GRU(24, 16, 2, batch_first=True), tokens, first),
        "rnn": lambda: Model(nn.RNN(24, 16, 2, batch_first=True), tokens, first),
        "transformer": lambda: Model(nn.Transformer(24, 4, 1, 1, 40, batch_first=True), [*tokens, *tokens]),
    }


def all_models() -> Dict[str, Makers]:
    """The models by the package that they are of."""
    return {"torch": torch_models(), "torchvision": torchvision_models(), "timm": timm_models(),
            "transformers": transformers_models()}  # fmt: skip

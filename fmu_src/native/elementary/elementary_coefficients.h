/* The numbers in the elementary functions. Made by build_scripts/elementary_coefficients.py; not to be edited.

   A number that a double cannot hold stands as a sum: _HIGH has trailing zeros, so that its product with a small integer is
   exact; _LOW is the rest. After each polynomial: how far it is at most from the function, relative to the function. */
/* clang-format off */
#ifndef MOBOD_ELEMENTARY_COEFFICIENTS_H
#define MOBOD_ELEMENTARY_COEFFICIENTS_H

#include <stdint.h>

#define TWO_OVER_PI 0x1.45f306dc9c883p-1 /* 2 / pi */
#define HALF_PI_1 0x1.921fb5444p0 /* the first 39 bits of pi / 2 */
#define HALF_PI_2 0x1.68c234c4c4p-39 /* the next 39 */
#define HALF_PI_3 0x1.3145c06e0e689p-78 /* the rest */
#define HALF_PI 0x1.921fb54442d18p0 /* pi / 2, to the nearest */
#define HALF_PI_LOW 0x1.1a62633145c07p-54 /* the rest */
#define QUARTER_PI_HIGH 0x1.921fb54442d18p-1 /* the first 50 bits of pi / 4 */
#define QUARTER_PI_LOW 0x1.1a62633145c07p-55 /* the rest */
#define TANGENT_OF_EIGHTH 0x1.a827999fcef32p-2 /* tan(pi / 8) */
#define ONE_OVER_LN2 0x1.71547652b82fep0 /* 1 / log(2) */
#define LN2_HIGH 0x1.62e42fefa4p-1 /* log(2) to a multiple of 2^-41 */
#define LN2_LOW -0x1.8432a1b0e2634p-43 /* the rest */

/* sin(r) = r + r^3 P(r^2), |r| <= pi/4: 2^-57.9 */
static const double SINE[6] = {
    -0x1.5555555555548p-3, 0x1.111111110f7dp-7, -0x1.a01a019bfde7cp-13, 0x1.71de3567cdc76p-19,
    -0x1.ae5e5a8dac4f7p-26, 0x1.5d8fd0a9dd0b3p-33,
};

/* cos(r) = 1 - r^2 / 2 + r^4 P(r^2), |r| <= pi/4: 2^-64.0 */
static const double COSINE[6] = {
    0x1.555555555554bp-5, -0x1.6c16c16c14f91p-10, 0x1.a01a019c84488p-16, -0x1.27e4f7eabfd74p-22,
    0x1.1ee9d7b19b5cdp-29, -0x1.8fa4985bd5e5cp-37,
};

/* exp(r) = 1 + r + r^2 P(r), |r| <= log(2) / 2: 2^-57.9 */
static const double EXPONENTIAL[10] = {
    0x1.000000000000ap-1, 0x1.55555555554fap-3, 0x1.555555555088bp-5, 0x1.1111111127b84p-7,
    0x1.6c16c184269f2p-10, 0x1.a01a012a6f439p-13, 0x1.a0199a1676a62p-16, 0x1.71df2532056a7p-19,
    0x1.28ad68f3977f7p-22, 0x1.ad7f8244747a3p-26,
};

/* log((1 + s) / (1 - s)) = 2 s + s^3 P(s^2), (1 + s) / (1 - s) between sqrt(1/2) and sqrt(2): 2^-59.5 */
static const double LOGARITHM[7] = {
    0x1.5555555555592p-1, 0x1.999999997feebp-2, 0x1.24924941e0a66p-2, 0x1.c71c52165decfp-3,
    0x1.74663c50e0db1p-3, 0x1.39a1fbca52862p-3, 0x1.2f02e4aa3364cp-3,
};

/* log(1 + r) = r - r^2 / 2 + r^3 P(r), |r| within an interval of POWER_TABLE: 2^-73.9 */
static const double POWER_LOGARITHM[6] = {
    0x1.5555555555557p-2, -0x1.0000000000002p-2, 0x1.9999999894458p-3, -0x1.555555542fb4dp-3,
    0x1.2494051195308p-3, -0x1.0001b5308af31p-3,
};

/* atan(t) = t + t^3 P(t^2), |t| <= tan(pi/8): 2^-59.4 */
static const double ARCTANGENT[11] = {
    -0x1.555555555553dp-2, 0x1.99999999957cep-3, -0x1.24924922aa522p-3, 0x1.c71c70e50f805p-4,
    -0x1.745cf8c3916ep-4, 0x1.3b111796d994p-4, -0x1.10eba8d87892ap-4, 0x1.df0e80e832d0dp-5,
    -0x1.9ccf8188fd75cp-5, 0x1.37ce24cfa8b2ep-5, -0x1.255b45fb2f834p-6,
};

/* asin(s) = s + s^3 P(s^2), |s| <= 1/2: 2^-59.9 */
static const double ARCSINE[13] = {
    0x1.5555555555577p-3, 0x1.333333332e103p-4, 0x1.6db6db7214178p-5, 0x1.f1c71a946bd02p-6,
    0x1.6e8bdeed1a074p-6, 0x1.1c49ef908dd64p-6, 0x1.ca1f9eabdda96p-7, 0x1.758508f425316p-7,
    0x1.613f25cbb9846p-7, 0x1.e5d1035b5e317p-9, 0x1.63a6d815368ep-6, -0x1.580b562c8e2bbp-6,
    0x1.0b4ad61a0796cp-5,
};

/* sinh(x) = x + x^3 P(x^2), |x| <= 3/4: 2^-59.0 */
static const double HYPERBOLIC_SINE[6] = {
    0x1.555555555554ep-3, 0x1.111111111206cp-7, 0x1.a01a019d524e4p-13, 0x1.71de3e07ac403p-19,
    0x1.ae5f6014cee91p-26, 0x1.646a235896adbp-33,
};

/* tanh(x) = x + x^3 P(x^2), |x| <= 3/8: 2^-61.0 */
static const double HYPERBOLIC_TANGENT[9] = {
    -0x1.555555555554ep-2, 0x1.11111111100cp-3, -0x1.ba1ba1b889a2ap-5, 0x1.664f47eacaf1dp-6,
    -0x1.226e14ceb58e4p-7, 0x1.d6cb5c936d468p-9, -0x1.7cf55904311d5p-10, 0x1.2cd16dcc275acp-11,
    -0x1.7c0faf173a121p-13,
};

/* 2 / pi: two words of zeros, then its binary digits */
static const uint32_t TWO_OVER_PI_DIGITS[41] = {
    0x00000000, 0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041,
    0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e,
    0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b,
    0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d,
    0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab,
    0xf0cfbc20,
};

/* A number m has entry (bits(m) - POWER_START) >> POWER_SHIFT, modulo 128: a factor c with |m c - 1| <= 0.00394 (1 near m = 1),
   and -log(c) as a multiple of 2^-41 and the rest */
#define POWER_START UINT64_C(0x3fe6b00000000000)
#define POWER_SHIFT 45
static const double POWER_TABLE[128][3] = {
    {0x1.681p0, -0x1.5d495dcacep-2, 0x1.21e0128953ddap-43},
    {0x1.662p0, -0x1.57c2f53b06p-2, 0x1.bedacffa0f56bp-43},
    {0x1.643p0, -0x1.5234e0670ap-2, -0x1.49483d21b40d9p-44},
    {0x1.624p0, -0x1.4c9f09e152p-2, -0x1.8788863c7f488p-43},
    {0x1.606p0, -0x1.472fdbe4fep-2, 0x1.81b26ceb01f78p-43},
    {0x1.5e7p0, -0x1.418a821a4cp-2, -0x1.544a950cdfe5p-45},
    {0x1.5cap0, -0x1.3c3b2736b4p-2, 0x1.3e5d1e9d3ddf9p-47},
    {0x1.5acp0, -0x1.36b5776bc2p-2, 0x1.dd2d0f4ac7bb8p-43},
    {0x1.58fp0, -0x1.31579e142ep-2, 0x1.27cda5a6d3d1fp-45},
    {0x1.572p0, -0x1.2bf287cc42p-2, 0x1.93c2c2ad89c4cp-43},
    {0x1.555p0, -0x1.268620f34ep-2, 0x1.385da333a2579p-43},
    {0x1.539p0, -0x1.214296d08ap-2, 0x1.cb6298064becap-44},
    {0x1.51dp0, -0x1.1bf816355ep-2, -0x1.7277b53afef3dp-43},
    {0x1.501p0, -0x1.16a68c9dbep-2, 0x1.255c995bc1211p-43},
    {0x1.4e6p0, -0x1.117ee81dfep-2, -0x1.30f778a2e8cbdp-44},
    {0x1.4cbp0, -0x1.0c50965e74p-2, -0x1.91647f8ab8825p-44},
    {0x1.4bp0, -0x1.071b85fcd6p-2, 0x1.bcb8ba3e01a11p-44},
    {0x1.495p0, -0x1.01dfa5529ap-2, -0x1.2d95d56371332p-44},
    {0x1.47bp0, -0x1.f99dc6c23cp-3, 0x1.7ed06117b4369p-44},
    {0x1.461p0, -0x1.ef6f5e338cp-3, -0x1.59e36e1b431a7p-46},
    {0x1.447p0, -0x1.e533effdep-3, -0x1.0145226be4225p-43},
    {0x1.42dp0, -0x1.daeb5aa6c4p-3, 0x1.8bfe9b3f43035p-44},
    {0x1.414p0, -0x1.d0fb7f2254p-3, -0x1.e50ad4df9cc4dp-43},
    {0x1.3fbp0, -0x1.c6ff3c6efcp-3, -0x1.ee1337e5107eep-44},
    {0x1.3e2p0, -0x1.bcf6736f7cp-3, -0x1.6c70bb585370ep-43},
    {0x1.3cap0, -0x1.b34885023p-3, 0x1.7e22bd336de46p-43},
    {0x1.3b1p0, -0x1.a926d3a4acp-3, -0x1.563650bd22a9cp-43},
    {0x1.399p0, -0x1.9f60c06844p-3, -0x1.5e5557c1f4de5p-43},
    {0x1.381p0, -0x1.958eadae6p-3, 0x1.3b6857bb1fa3bp-46},
    {0x1.36ap0, -0x1.8c19fe2984p-3, 0x1.fa87f87ca0dbbp-43},
    {0x1.352p0, -0x1.8230164c1cp-3, 0x1.cce452eb45e97p-43},
    {0x1.33bp0, -0x1.78a4584cp-3, -0x1.9e3f57d3f542ep-44},
    {0x1.324p0, -0x1.6f0d28ae58p-3, 0x1.4b4641b664613p-43},
    {0x1.30dp0, -0x1.656a6be1dcp-3, -0x1.2d97906910219p-43},
    {0x1.2f7p0, -0x1.5c28060c48p-3, 0x1.4898e458f8bd4p-43},
    {0x1.2ep0, -0x1.526e5e3a1cp-3, 0x1.790ba37fc5238p-44},
    {0x1.2cap0, -0x1.4915d832fcp-3, 0x1.53cee006bcf62p-44},
    {0x1.2b4p0, -0x1.3fb25a5954p-3, 0x1.73520ca653804p-43},
    {0x1.29ep0, -0x1.3643cad058p-3, -0x1.1e18f2132dfd5p-44},
    {0x1.289p0, -0x1.2d38907e04p-3, -0x1.d2f4722be431cp-44},
    {0x1.273p0, -0x1.23b412580cp-3, 0x1.7e6e809e4f37dp-44},
    {0x1.25ep0, -0x1.1a93b7d43p-3, 0x1.3debbf4ec55f3p-44},
    {0x1.249p0, -0x1.1168e8128p-3, 0x1.cd97921cd4691p-43},
    {0x1.234p0, -0x1.08338affa4p-3, 0x1.7d661a9bee0ecp-43},
    {0x1.22p0, -0x1.fec9131dcp-4, 0x1.54555d1ae6607p-44},
    {0x1.20bp0, -0x1.ec3497b498p-4, 0x1.9ce038385817p-47},
    {0x1.1f7p0, -0x1.da6e7637c8p-4, 0x1.caf82a6d5c7cbp-43},
    {0x1.1e3p0, -0x1.c8948014cp-4, 0x1.a4b23a7216241p-43},
    {0x1.1cfp0, -0x1.b6a688d9b8p-4, 0x1.274500620ed4dp-43},
    {0x1.1bbp0, -0x1.a4a4637edp-4, -0x1.1debb79d6310ep-43},
    {0x1.1a8p0, -0x1.9375e55598p-4, 0x1.0911e463f9e4ep-43},
    {0x1.194p0, -0x1.814be23f9p-4, 0x1.fe4dc7e257d02p-43},
    {0x1.181p0, -0x1.6ff7309f9p-4, 0x1.ffe70e666b0c9p-43},
    {0x1.16ep0, -0x1.5e8fa4d858p-4, -0x1.1c6fce08d711p-44},
    {0x1.15bp0, -0x1.4d1515b988p-4, 0x1.8e7d02e3f5e95p-47},
    {0x1.148p0, -0x1.3b87598b18p-4, -0x1.b76fa9ad4d73bp-43},
    {0x1.136p0, -0x1.2ad449effp-4, -0x1.18ae28d07d23cp-43},
    {0x1.123p0, -0x1.1920bc3d18p-4, -0x1.36ef0cead74bp-43},
    {0x1.111p0, -0x1.08498b51ep-4, -0x1.cd899875409b6p-43},
    {0x1.0ffp0, -0x1.eec11bf26p-5, 0x1.1bdebfdb4a12ep-43},
    {0x1.0edp0, -0x1.cccb3cd7ap-5, 0x1.342b3a33257e5p-43},
    {0x1.0dbp0, -0x1.aab12cd3ap-5, -0x1.84590fd8b3b42p-46},
    {0x1.0c9p0, -0x1.88729e70fp-5, 0x1.9c8d8f692991dp-45},
    {0x1.0b8p0, -0x1.67f94f095p-5, 0x1.099f060c0d895p-43},
    {0x1.0a7p0, -0x1.475ee9a0bp-5, -0x1.6de8fbaa8b77ap-46},
    {0x1.095p0, -0x1.24b532104p-5, 0x1.966b2dce75097p-46},
    {0x1.084p0, -0x1.03d5d85e7p-5, -0x1.f778960ed29cfp-44},
    {0x1.073p0, -0x1.c5a92e162p-6, -0x1.34e8b5218450dp-43},
    {0x1.062p0, -0x1.83624fba8p-6, -0x1.deb9c96b40046p-45},
    {0x1.052p0, -0x1.44c28d452p-6, 0x1.33a7ad7dcc35fp-43},
    {0x1.041p0, -0x1.01f565874p-6, 0x1.4f7c16c8368a6p-43},
    {0x1.031p0, -0x1.85ac7e9e8p-7, 0x1.248883197ad1cp-47},
    {0x1.02p0, -0x1.fe02a6b1p-8, -0x1.9e23f0dda40e4p-46},
    {0x1.01p0, -0x1.ff00aa2bp-9, -0x1.0bc04a086b56ap-45},
    {0x1p0, 0.0, 0.0},
    {0x1.fcp-1, 0x1.010157588p-7, 0x1.bce251998b506p-44},
    {0x1.f82p-1, 0x1.fbea8b13cp-7, 0x1.ec927b17e4e13p-50},
    {0x1.f44p-1, 0x1.7c61b1cf6p-6, -0x1.08fc8f849a447p-45},
    {0x1.f08p-1, 0x1.f7a9b1678p-6, 0x1.42ad9271be7d7p-45},
    {0x1.eccp-1, 0x1.39f07ba0fp-5, -0x1.0a76b14de8d44p-43},
    {0x1.e92p-1, 0x1.766d923c2p-5, 0x1.ff0a82f1c24c1p-46},
    {0x1.e58p-1, 0x1.b35dd9b59p-5, -0x1.154c594985539p-43},
    {0x1.e1ep-1, 0x1.f0c30c111p-5, 0x1.8d44329dd20ap-43},
    {0x1.de6p-1, 0x1.163d6ef958p-4, -0x1.7f3b038d8e6ebp-46},
    {0x1.daep-1, 0x1.345179b64p-4, -0x1.15efe164f5798p-43},
    {0x1.d78p-1, 0x1.518874226p-4, 0x1.30a1d96258b3ep-44},
    {0x1.d42p-1, 0x1.6ef528c058p-4, -0x1.5d462d767cadep-44},
    {0x1.d0cp-1, 0x1.8c985e9bap-4, -0x1.37c377e430036p-44},
    {0x1.cd8p-1, 0x1.a956d3ecbp-4, -0x1.0ce4359fe9da8p-43},
    {0x1.ca4p-1, 0x1.c6494a2e4p-4, 0x1.8a5e8ab20c4e6p-44},
    {0x1.c72p-1, 0x1.e2507702bp-4, -0x1.f897980522249p-45},
    {0x1.c4p-1, 0x1.fe89139dcp-4, -0x1.54d3593e842bfp-43},
    {0x1.c0ep-1, 0x1.0d79e7cd48p-3, 0x1.cb422847849e4p-44},
    {0x1.bdep-1, 0x1.1b35ae3b8p-3, 0x1.dbeba313fd2acp-43},
    {0x1.bacp-1, 0x1.299d30c608p-3, -0x1.1597fc311fb94p-43},
    {0x1.b7ep-1, 0x1.36f4c27578p-3, -0x1.4d9e2683a54edp-44},
    {0x1.b4ep-1, 0x1.44f8b726f8p-3, 0x1.df6a4432b9bb4p-44},
    {0x1.b2p-1, 0x1.527e5e4a1cp-3, -0x1.4e60b8d4b411dp-44},
    {0x1.af2p-1, 0x1.601b076e7cp-3, -0x1.7569415901b8dp-43},
    {0x1.ac6p-1, 0x1.6d35fee52cp-3, -0x1.f127eb4f64e1fp-45},
    {0x1.a98p-1, 0x1.7b00916514p-3, 0x1.28c501a7cc0d4p-43},
    {0x1.a6ep-1, 0x1.87ad07c494p-3, -0x1.70f53c386330ap-44},
    {0x1.a42p-1, 0x1.9509aa0044p-3, 0x1.f1e675b4d35c6p-44},
    {0x1.a16p-1, 0x1.a27cc3064p-3, 0x1.d954963274bb8p-44},
    {0x1.9ecp-1, 0x1.af6895610cp-3, 0x1.badf5dd0215b2p-43},
    {0x1.9c2p-1, 0x1.bc69684afp-3, -0x1.9c24a8baf8191p-43},
    {0x1.99ap-1, 0x1.c8df7cb9a8p-3, 0x1.eee42f58e1e6ep-44},
    {0x1.97p-1, 0x1.d60a17f904p-3, -0x1.5d6e06fc20d39p-44},
    {0x1.948p-1, 0x1.e2a877a6b4p-3, -0x1.3ee3f443c7bf3p-43},
    {0x1.92p-1, 0x1.ef5ade4ddp-3, -0x1.a211565bb8e11p-51},
    {0x1.8fap-1, 0x1.fb7d86eee4p-3, -0x1.1c061cdb8097bp-45},
    {0x1.8d4p-1, 0x1.03d95a1d68p-2, -0x1.2f43bf86e4f7cp-43},
    {0x1.8acp-1, 0x1.0a504e97bcp-2, -0x1.7e7b58ccb79dep-43},
    {0x1.886p-1, 0x1.107e404abp-2, 0x1.f0236f3ee2a81p-43},
    {0x1.862p-1, 0x1.1661caecbap-2, -0x1.171fff9fc4abbp-44},
    {0x1.83cp-1, 0x1.1ca28c64bap-2, 0x1.ca760f7a15533p-43},
    {0x1.818p-1, 0x1.22981fbef8p-2, -0x1.a1421609580dap-44},
    {0x1.7f4p-1, 0x1.2896a13e08p-2, 0x1.a8ed027e16952p-44},
    {0x1.7dp-1, 0x1.2e9e2bce12p-2, 0x1.4300c128d1dc2p-45},
    {0x1.7aep-1, 0x1.34585a594cp-2, -0x1.d4d9bf230f411p-44},
    {0x1.78ap-1, 0x1.3a71c56bb4p-2, 0x1.18c46fb5a8848p-43},
    {0x1.768p-1, 0x1.403d086ceap-2, 0x1.e6ef574487308p-44},
    {0x1.746p-1, 0x1.4610bc29c6p-2, -0x1.e82c9f310c8e6p-46},
    {0x1.724p-1, 0x1.4becf95d98p-2, -0x1.bb33b20023a7p-44},
    {0x1.702p-1, 0x1.51d1d93104p-2, 0x1.5b0faa20d9c8ep-44},
    {0x1.6e2p-1, 0x1.5765f1749ep-2, -0x1.6532d93e0d82bp-44},
    {0x1.6c2p-1, 0x1.5d01dc4ap-2, -0x1.a2fd51cc1684bp-43},
    {0x1.6a2p-1, 0x1.62a5afc062p-2, -0x1.bc2ad75044033p-43},
};

#endif

#include <cmath>
#include <cstdint>

#include "client/cli/elements.h"
#include "client/cli/npy.h"
#include "tests/unit/client/cli/cli_test_base.h"

namespace posenc::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class EncodeCommandTest : public CliTest {
 protected:
  // Lets one call through, looks at its parameters, and answers with 2 × 2
  // rows of 2 channels.
  void ExpectEncode(std::function<void(const posenc::EncodeParams&)> look) {
    EXPECT_CALL(*connection_, Encode)
        .WillOnce([look](const posenc::EncodeParams& params)
                      -> absl::StatusOr<posenc::EncodeResult> {
          look(params);
          posenc::EncodeResult result;
          result.encoding.profile = "torchlingo";
          result.encoding.d_model = 2;
          result.embedding_scale = 1.5;
          if (params.input == posenc::EncodeParams::Input::kTokenIds) {
            result.embedding_table = "words";
            result.embedding_table_version = "v7";
          }
          result.shape = {2, 2, 2};
          result.output =
              MakeTensor<float>({0, 1, 2, 3, 4, 5, 0.1F, NAN}, {2, 2, 2});
          return result;
        });
  }

  std::string WriteEmbeddings() {
    const std::vector<float> values = {1, 2, 3, 4, 5, 6, 7, 8};
    const std::string path = scratch_.Path("x.npy");
    EXPECT_TRUE(WriteNpy(path, {std::span(values), {2, 2, 2}}).ok());
    return path;
  }

  static posenc::TensorView PayloadOf(const posenc::EncodeParams& params) {
    return ViewOf(std::get<posenc::SharedTensor>(params.payload));
  }
};

TEST_F(EncodeCommandTest, SendsEmbeddingsAsTheyAre) {
  ExpectEncode([](const posenc::EncodeParams& params) {
    EXPECT_EQ(params.input, posenc::EncodeParams::Input::kEmbeddings);
    EXPECT_EQ(PayloadOf(params).shape, (posenc::Shape{2, 2, 2}));
    EXPECT_THAT(Values<float>(PayloadOf(params)),
                ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
    EXPECT_EQ(params.options.batch_layout, posenc::BatchLayout::kBatchFirst);
    EXPECT_FALSE(params.options.output_dtype);
    EXPECT_FALSE(params.options.encoding.profile);
    EXPECT_EQ(params.options.embedding_table, "");
  });
  const Run run = RunPosenc({"encode", WriteEmbeddings()});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.err, "");
}

TEST_F(EncodeCommandTest, PutsOptionsIntoTheRequest) {
  ExpectEncode([](const posenc::EncodeParams& params) {
    const posenc::EncodeOptions& options = params.options;
    EXPECT_EQ(options.encoding.profile, "pytorch");
    EXPECT_EQ(options.encoding.base, 100);
    EXPECT_EQ(options.batch_layout, posenc::BatchLayout::kSequenceFirst);
    EXPECT_EQ(options.output_dtype, posenc::DType::kBFloat16);
    EXPECT_EQ(options.positions.offset, 7);
    EXPECT_THAT(Values<std::int64_t>(*options.positions.padded_lengths),
                ElementsAre(2, 1));
  });
  EXPECT_EQ(
      RunPosenc({"encode", WriteEmbeddings(), "--profile", "pytorch", "--base",
                 "100", "--batch-layout", "sequence-first", "--output-dtype",
                 "bfloat16", "--offset", "7", "--lengths", "2,1"})
          .code,
      0);
}

TEST_F(EncodeCommandTest, SendsDropout) {
  ExpectEncode([](const posenc::EncodeParams& params) {
    ASSERT_TRUE(params.options.dropout);
    EXPECT_EQ(params.options.dropout->rate, 0.25);
    EXPECT_EQ(params.options.dropout->seed, 18446744073709551615u);
    EXPECT_EQ(params.options.dropout->request_position, 0u);
  });
  EXPECT_EQ(RunPosenc({"encode", WriteEmbeddings(), "--dropout", "0.25",
                       "--seed", "18446744073709551615"})
                .code,
            0);
  EXPECT_NE(RunPosenc({"encode", WriteEmbeddings(), "--seed", "1"}).code, 0);
}

TEST_F(EncodeCommandTest, SendsTypedIdsWithTheirLengths) {
  ExpectEncode([](const posenc::EncodeParams& params) {
    EXPECT_EQ(params.input, posenc::EncodeParams::Input::kTokenIds);
    EXPECT_THAT(Values<std::int64_t>(PayloadOf(params)),
                ElementsAre(101, 1996, 4248, 0));
    EXPECT_EQ(params.options.embedding_table, "words");
    ASSERT_TRUE(params.options.positions.padded_lengths);
    EXPECT_THAT(Values<std::int64_t>(*params.options.positions.padded_lengths),
                ElementsAre(2, 1));
  });
  EXPECT_EQ(RunPosenc({"encode", "--ids", "101,1996", "--ids", "4248",
                       "--table", "words"})
                .code,
            0);
}

TEST_F(EncodeCommandTest, GivenLengthsGoBeforeThoseOfTheIds) {
  ExpectEncode([](const posenc::EncodeParams& params) {
    EXPECT_THAT(Values<std::int64_t>(*params.options.positions.padded_lengths),
                ElementsAre(1, 1));
  });
  EXPECT_EQ(
      RunPosenc({"encode", "--ids", "1,2", "--ids", "3", "--lengths", "1,1"})
          .code,
      0);
}

TEST_F(EncodeCommandTest, SendsPackedIds) {
  ExpectEncode([](const posenc::EncodeParams& params) {
    EXPECT_EQ(PayloadOf(params).shape, posenc::Shape{3});
    EXPECT_FALSE(params.options.positions.padded_lengths);
    EXPECT_THAT(Values<std::int64_t>(*params.options.positions.packed_lengths),
                ElementsAre(2, 1));
  });
  EXPECT_EQ(RunPosenc({"encode", "--ids", "1,2,3", "--packed", "2,1"}).code, 0);
}

TEST_F(EncodeCommandTest, ShowsAPreview) {
  ExpectEncode([](const posenc::EncodeParams&) {});
  const Run run =
      RunPosenc({"encode", "--ids", "1,2", "--ids", "3,4", "--rows", "1"});
  EXPECT_EQ(run.out,
            "encoding      {\"profile\":\"torchlingo\",\"dModel\":2}\n"
            "scale         1.5\n"
            "table         words (version v7)\n"
            "output        FLOAT32 [2, 2, 2]\n"
            "[[[0.000000  1.000000]\n"
            "  …]\n"
            " …]\n");
}

TEST_F(EncodeCommandTest, AnswersInJson) {
  ExpectEncode([](const posenc::EncodeParams&) {});
  const Run run = RunPosenc({"encode", "--ids", "1,2", "--json"});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.json(), Json::parse(R"({
    "encoding": {"profile": "torchlingo", "dModel": 2},
    "embedding_scale": 1.5, "table": "words", "version": "v7",
    "dtype": "FLOAT32", "shape": [2, 2, 2],
    "values": [[[0.0, 1.0], [2.0, 3.0]], [[4.0, 5.0], [0.1, null]]]})"));
}

TEST_F(EncodeCommandTest, WritesAFileInsteadOfValues) {
  const std::string out = scratch_.Path("out.npy");
  ExpectEncode([](const posenc::EncodeParams&) {});
  const Run text = RunPosenc({"encode", WriteEmbeddings(), "-o", out});
  EXPECT_EQ(text.code, 0);
  EXPECT_THAT(text.out, HasSubstr("written to    " + out + "\n"));
  EXPECT_THAT(text.out, testing::Not(HasSubstr("[[")));
  const auto written = ReadNpy(out);
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_EQ(written->shape, (posenc::Shape{2, 2, 2}));
  EXPECT_EQ(ElementAt(ViewOf(*written), 5), 5.0);

  ExpectEncode([](const posenc::EncodeParams&) {});
  const Run json =
      RunPosenc({"encode", WriteEmbeddings(), "-o", out, "--json"});
  EXPECT_EQ(json.json()["file"], out);
  EXPECT_FALSE(json.json().contains("values"));
  EXPECT_FALSE(json.json().contains("table"));
}

TEST_F(EncodeCommandTest, SaysThatBFloat16IsWrittenAsUInt16) {
  EXPECT_CALL(*connection_, Encode)
      .WillOnce([](const posenc::EncodeParams&)
                    -> absl::StatusOr<posenc::EncodeResult> {
        posenc::EncodeResult result;
        result.output = MakeTensor<std::uint16_t>({0x3F80}, {1, 1, 1},
                                                  posenc::DType::kBFloat16);
        return result;
      });
  const std::string out = scratch_.Path("out.npy");
  const Run run = RunPosenc({"encode", WriteEmbeddings(), "-o", out});
  EXPECT_EQ(run.code, 0);
  EXPECT_THAT(run.err, HasSubstr("note: " + out));
  EXPECT_THAT(run.err, HasSubstr("uint16"));
  EXPECT_THAT(ReadFile(out), HasSubstr("'<u2'"));
}

TEST_F(EncodeCommandTest, AFileThatCannotBeWrittenIsCode2) {
  ExpectEncode([](const posenc::EncodeParams&) {});
  const Run run = RunPosenc(
      {"encode", WriteEmbeddings(), "-o", scratch_.Path("no/out.npy")});
  EXPECT_EQ(run.code, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, HasSubstr("No such file"));
}

TEST_F(EncodeCommandTest, BadInputIsFoundBeforeAnyCall) {
  const std::string embeddings = WriteEmbeddings();
  for (const auto& [arguments, complaint] :
       std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{}, "nothing to encode"},
           {{"none.npy"}, "'none.npy': No such file"},
           {{"--ids", "1,x"}, "'x' in '1,x'"},
           {{embeddings, "--ids", "1"}, "excludes"},
           {{embeddings, "--table", "words"},
            "--table is for token ids, but the input is FLOAT32"},
           {{embeddings, "--spec", "{"}, "--spec: "},
           {{embeddings, "--layout", "zigzag"}, "'zigzag'"},
           {{embeddings, "--lengths", "1,x"}, "--lengths"},
           {{embeddings, "--output-dtype", "int8"}, "'int8'"},
           {{"--ids", "1,2", "--ids", "3", "--positions", "0,1"},
            "--positions cannot stand beside lengths"}}) {
    std::vector<std::string> all = {"encode"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Run run = RunPosenc(all);
    EXPECT_EQ(run.code, 2) << complaint;
    EXPECT_THAT(run.out, IsEmpty());
    EXPECT_THAT(run.err, HasSubstr(complaint));
  }
  EXPECT_EQ(connects_, 0);
}

TEST_F(EncodeCommandTest, PassesTheServersRefusalOn) {
  EXPECT_CALL(*connection_, Encode)
      .WillOnce([](const posenc::EncodeParams&)
                    -> absl::StatusOr<posenc::EncodeResult> {
        return Refusal(absl::StatusCode::kInvalidArgument,
                       "embeddings are [2,2,2] but d_model is 8",
                       "D_MODEL_MISMATCH");
      });
  const Run run = RunPosenc({"encode", WriteEmbeddings(), "--d-model", "8"});
  EXPECT_EQ(run.code, 1);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err,
            "error: embeddings are [2,2,2] but d_model is 8 (INVALID_ARGUMENT, "
            "D_MODEL_MISMATCH)\n");
}

}  // namespace
}  // namespace posenc::cli

// Read by ThreadSanitizer when it starts; nothing calls it otherwise.
//
// The fake server's handlers run on gRPC's threads, in the process of the test
// that sets their expectations. What orders the two is inside gRPC, which is
// not built for ThreadSanitizer. The client's own code has neither of these
// frames above it, so its races are still reported.
extern "C" const char* __tsan_default_suppressions();

extern "C" const char* __tsan_default_suppressions() {
  return "race:^grpc::\n"
         "race:testing::internal\n";
}

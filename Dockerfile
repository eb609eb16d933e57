# Build:  docker build -t posenc .
# Test:   docker build --target test .
# Run:    docker run --rm -p 50051:50051 -v "$PWD/model:/tables:ro" posenc
#
# Flags of posenc-server go behind the image's name; `posenc` is in the image
# too: docker exec CONTAINER posenc status

FROM debian:bookworm-slim AS build
WORKDIR /src
COPY deploy/install_packages.sh deploy/
RUN deploy/install_packages.sh build
COPY . .
RUN cmake --preset release -DPOSENC_BUILD_TESTS=OFF \
 && cmake --build --preset release --target posenc_server posenc_command \
 && install -D --strip --target-directory=/out \
      build/release/server/posenc-server build/release/client/cli/posenc

FROM build AS test
RUN tests/run.sh

FROM debian:bookworm-slim
LABEL org.opencontainers.image.title="posenc" \
      org.opencontainers.image.description="A gRPC service that puts positions into tensors" \
      org.opencontainers.image.version="0.1.0"
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install --yes \
      --no-install-recommends \
      libgrpc++1.51 libhwy1 libmpfr6 libpng16-16 libprotobuf32 libspdlog1.10 \
 && apt-get clean \
 && rm -rf /var/lib/apt/lists/* \
 && mkdir /tables
COPY deploy/container.toml /etc/posenc/server.toml
COPY --from=build /out/ /usr/local/bin/
# Fails the build if a library is missing.
RUN posenc-server --version && posenc --version
USER 65532:65532
EXPOSE 50051
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s \
  CMD ["posenc", "status", "--timeout", "4"]
ENTRYPOINT ["posenc-server", "--config", "/etc/posenc/server.toml"]

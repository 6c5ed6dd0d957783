# Unrandom on a CPU: docker build -t unrandom . && docker run --rm unrandom demo
FROM python:3.13-slim-bookworm

WORKDIR /work
COPY . /src
# The PyTorch of the Python package index comes with CUDA, several gigabytes of it; uv takes the build for CPUs.
RUN pip install --no-cache-dir uv==0.13.9 \
    && uv pip install --system --no-cache --torch-backend cpu --constraint /src/constraints.txt "/src[lab]" \
    && rm -rf /src \
    && useradd --create-home --uid 1000 unrandom \
    && chown 1000 /work
USER 1000
ENTRYPOINT ["unrandom"]
CMD ["--help"]

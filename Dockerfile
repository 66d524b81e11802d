# docker build --tag stepgrad .
# docker run --init --read-only --tmpfs /tmp --volume stepgrad:/data --cap-drop ALL --pids-limit 4096 --memory 4g \
#   --security-opt no-new-privileges --security-opt seccomp=seccomp.json --stop-timeout 30 --publish 127.0.0.1:8000:8000 stepgrad
#
# seccomp.json replaces Docker's default profile, which forbids the user namespaces that the sandbox of each run needs. In all
# other respects seccomp.json is stricter. If AppArmor confines containers (Debian, Ubuntu), add --security-opt
# apparmor=unconfined, because AppArmor's profile for Docker forbids the mounts of the sandbox. Never use --privileged.
# `make docker-check` builds the image, starts it with the line above and tests it; see docs/operating.md.

# Debian 13 or 12. A name with a digest (debian@sha256:...) pins the image.
ARG BASE=debian:trixie-slim

FROM ${BASE} AS packages
# Additional index with the CPU build of torch. The default version is in requirements/torch.txt.
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
ARG TORCH_VERSION=
# Indexes for pip in place of PyPI or in addition to it. They are not stored in the image.
ARG PIP_INDEX_URL
ARG PIP_EXTRA_INDEX_URL
ARG PIP_FIND_LINKS
ARG PIP_CERT
RUN apt-get update \
 && apt-get install --yes --no-install-recommends binutils ca-certificates python3 python3-venv \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /opt/stepgrad
COPY requirements/run.txt requirements/torch.txt requirements/
# Remove C++ headers and tests of libraries, because the image has no compiler, and a run cannot start programs. `strip` removes
# symbols for debuggers. It breaks some libraries that were patched for their wheels, so it is applied only to the four with the
# most symbols.
RUN python3 -m venv .venv \
 && .venv/bin/pip install --no-cache-dir --require-hashes --requirement requirements/run.txt \
 && torch="${TORCH_VERSION:+torch==$TORCH_VERSION}" \
 && .venv/bin/pip install --no-cache-dir --no-deps ${TORCH_INDEX:+--extra-index-url "$TORCH_INDEX"} \
    ${torch:---requirement requirements/torch.txt} \
 && cd .venv/lib/python3*/site-packages \
 && find torch/bin -mindepth 1 ! -name torch_shm_manager -delete \
 && rm -rf torch/include torch/share torch/test \
 && find mpmath networkx numpy sympy -type d -name tests -prune -exec rm -rf {} + \
 && strip --strip-unneeded torch/lib/libtorch_cpu.so torch/lib/libtorch_python.so py_mini_racer/libmini_racer.so uvloop/loop.*.so
# Install the command `stepgrad`. In editable mode pip needs only these files of the package.
COPY pyproject.toml README.md LICENSE ./
COPY app/__init__.py app/
RUN .venv/bin/pip install --no-cache-dir --no-deps --no-build-isolation --editable . \
 && .venv/bin/pip uninstall --yes pip

FROM ${BASE}
RUN apt-get update \
 && apt-get install --yes --no-install-recommends bubblewrap fonts-noto-cjk python3 \
 && rm -rf /var/lib/apt/lists/* /usr/share/fonts/opentype/noto/NotoSerif* \
 && useradd --system --home-dir /data --shell /usr/sbin/nologin stepgrad \
 && install --directory --owner stepgrad --group stepgrad --mode 750 /data
WORKDIR /opt/stepgrad
COPY --from=packages /opt/stepgrad/.venv .venv
COPY pyproject.toml LICENSE ./
COPY app app
COPY static/bundle static/bundle
COPY static/img static/img
COPY static/vendor static/vendor
COPY templates templates
# Compile the code now, because the file system of a running container is read-only.
RUN .venv/bin/python -m compileall -q app
USER stepgrad
ENV PATH=/opt/stepgrad/.venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    STEPGRAD_DATA=/data \
    STEPGRAD_HOST=0.0.0.0
VOLUME /data
EXPOSE 8000
# The health check runs a snippet as a visitor's, so it tests more than the open port.
HEALTHCHECK --interval=60s --timeout=60s --start-period=60s CMD ["stepgrad", "health"]
CMD ["stepgrad", "serve"]

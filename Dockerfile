# One image for every process: `switchboard api`, `jobs`, `worker`, `bridge`, `migrate`.
# Everything that is fetched is named by its digest or its hashes. `deploy/pin-images.sh` finds the
# digest of Python's image.
ARG PYTHON_IMAGE_DIGEST
FROM python:3.11-slim-bookworm@${PYTHON_IMAGE_DIGEST} AS build
WORKDIR /build
COPY deploy/build.lock deploy/image.lock deploy/
RUN pip install --no-cache-dir --require-hashes --requirement deploy/build.lock
# Compiled here, because the containers' file systems are read-only.
RUN uv venv /opt/switchboard \
 && VIRTUAL_ENV=/opt/switchboard uv pip sync --no-cache --compile-bytecode --require-hashes \
    deploy/image.lock
COPY pyproject.toml README.md LICENSE ./
COPY clients/python clients/python
COPY carriers carriers
COPY contracts contracts
COPY control_plane control_plane
COPY knowledge knowledge
COPY link link
COPY listeners listeners
COPY outbound outbound
COPY pipelines pipelines
COPY runtime runtime
COPY schema_sandbox schema_sandbox
COPY switchboard switchboard
COPY telemetry telemetry
COPY telephony_bridge telephony_bridge
RUN python -m hatchling build -t wheel -d /build/wheels \
 && cd clients/python && python -m hatchling build -t wheel -d /build/wheels \
 && VIRTUAL_ENV=/opt/switchboard uv pip install --no-cache --offline --no-deps --compile-bytecode \
    /build/wheels/*.whl

FROM python:3.11-slim-bookworm@${PYTHON_IMAGE_DIGEST}
COPY --from=build /opt/switchboard /opt/switchboard
# A new volume gets the owner and the mode that its directory has in the image.
RUN useradd --system --uid 10001 --home-dir /data --create-home switchboard \
 && install --directory --owner=switchboard /objects \
 && chmod 0700 /data /objects
USER switchboard
WORKDIR /data
ENV PATH=/opt/switchboard/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    SWITCHBOARD_DATA_DIR=/data \
    SWITCHBOARD_LOG_FORMAT=json
VOLUME /data
ENTRYPOINT ["switchboard"]
CMD ["api"]

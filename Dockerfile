# One image for every process: `switchboard api`, `jobs`, `worker`, `bridge`, `migrate`.
FROM python:3.11-slim-bookworm AS build
RUN pip install --no-cache-dir uv
WORKDIR /build
COPY pyproject.toml requirements.lock README.md LICENSE ./
COPY clients/python clients/python
COPY contracts contracts
COPY control_plane control_plane
COPY link link
COPY outbound outbound
COPY pipelines pipelines
COPY runtime runtime
COPY switchboard switchboard
COPY telemetry telemetry
COPY telephony_bridge telephony_bridge
# The locked versions of what runs; the lock also holds what only development needs.
RUN uv venv /opt/switchboard \
 && VIRTUAL_ENV=/opt/switchboard uv pip install --no-cache --constraint requirements.lock \
    ".[offline]" ./clients/python

FROM python:3.11-slim-bookworm
COPY --from=build /opt/switchboard /opt/switchboard
# A new volume gets the owner that its directory has in the image.
RUN useradd --system --uid 10001 --home-dir /data --create-home switchboard \
 && install --directory --owner=switchboard /objects
USER switchboard
WORKDIR /data
ENV PATH=/opt/switchboard/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    SWITCHBOARD_DATA_DIR=/data \
    SWITCHBOARD_LOG_FORMAT=json
VOLUME /data
ENTRYPOINT ["switchboard"]
CMD ["api"]

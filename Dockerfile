# The survey's server as an image: docker build -t limen .
# It was written and read step by step on a machine without a container engine; it has not been built there.

FROM node:22-slim AS page
WORKDIR /limen
COPY page ./page
COPY scripts/build-page ./scripts/build-page
RUN scripts/build-page

FROM python:3.12-slim AS wheel
WORKDIR /limen
COPY pyproject.toml README.md LICENSE requirements.lock ./
COPY src ./src
COPY --from=page /limen/src/limen/survey/built ./src/limen/survey/built
# the lock without its hashes, as bounds: the image holds the versions that the tests run with, but not the tools
RUN sed -e '/--hash=/d' -e 's/ *\\$//' requirements.lock > constraints.txt \
 && pip install --no-cache-dir --constraint constraints.txt hatchling \
 && python -m hatchling build -t wheel -d /dist \
 && cp constraints.txt /dist/

FROM python:3.12-slim
COPY --from=wheel /dist /dist
RUN pip install --no-cache-dir --constraint /dist/constraints.txt "$(ls /dist/limen-*.whl)[postgres]" \
 && rm -r /dist \
 && useradd --create-home --uid 1000 limen \
 && install -d -o limen /study
USER limen
VOLUME /study
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/readyz', timeout=4)"]
ENTRYPOINT ["limen"]
CMD ["serve", "/study", "--host", "0.0.0.0", "--port", "8000", "--log-format", "json"]

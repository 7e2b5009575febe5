# Debian, not Alpine: the embedded PostgreSQL is built against glibc.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages packages
COPY console console
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json nest-cli.json rolldown.config.mjs ormconfig.ts ./
COPY src src
COPY scripts scripts
COPY bench bench
RUN npm run build

FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages packages
COPY console/package.json console/
# The image brings its own Node, so the one that npm scripts use elsewhere stays out.
RUN npm ci --omit=dev --no-audit --no-fund && rm -rf node_modules/node-linux-* node_modules/.bin/node

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json ./
# The second folder keeps what V8 has compiled, for the next start of the container.
RUN install --directory --owner=node --group=node --mode=0700 /data dist/bundle/.compile-cache
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/health/live').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# No shell between them: the stop signal reaches the service, which drains, commits and exits with 0.
CMD ["node", "dist/bundle/main.js"]

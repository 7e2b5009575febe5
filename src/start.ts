import { inspect } from 'node:util';
import { Logger } from '@nestjs/common';
import { satisfies } from 'semver';
import { banner, logReady } from './banner.js';
import { createApp, type AppOptions, type Service } from './create-app.js';
import { PidFile } from './pid-file.js';
import { loadConfig, type Config } from './kit/config/config.js';
import { StartRefusal } from './kit/config/start-refusal.js';
import { loadPlugins } from './kit/module/load-plugins.js';
import { createPino, logFormatOf } from './kit/logging/logger.js';

/** Undici, by which webhooks and other requests leave, asks for it. */
const NODE_MIN = '22.19.0';
/** Ctrl-C on `npm start` comes twice, from the terminal and passed on by npm; that is one wish to stop. */
const SAME_WISH_MS = 1_000;
/** How long the first requests have the service for themselves. */
const SETTLE_AFTER_MS = 1_000;

interface StartOptions extends Pick<AppOptions, 'plugins'> {
  /** Called when everything that a start does is done, and so is compiled. */
  readonly keepCompiled?: () => void;
}

/**
 * Runs the service until SIGINT, SIGTERM or SIGHUP: then it drains and exits with 0; a second signal does not wait. A failed
 * start is reported on stderr, an operator's mistake in one line, with exit code 1. `plugins` come before those of the
 * setting `PLUGINS`.
 */
export async function start({ plugins = [], keepCompiled }: StartOptions = {}): Promise<void> {
  const stopRequested = signalled();
  try {
    checkEngine();
    const config = loadConfig();
    const named = await loadPlugins(config.pluginNames);
    const service = await createApp({ config, plugins: [...plugins, ...named] });
    const url = await listen(service);
    const pidFile = new PidFile(config);
    await pidFile.write();
    announce(url, config);
    const settling = setTimeout(() => void settle(service, keepCompiled), SETTLE_AFTER_MS);
    await stopRequested;
    clearTimeout(settling);
    await stop(service, pidFile);
  } catch (error) {
    fail('Tradepost did not start', error);
  }
}

/** @throws StartRefusal where something would fail later, such as every webhook on Node 20 */
function checkEngine(): void {
  if (satisfies(process.versions.node, `>=${NODE_MIN}`)) return;
  throw new StartRefusal(
    `it needs Node ${NODE_MIN} or later, and this is ${process.versions.node}. On Linux one comes with the package: npx node ${process.argv[1] ?? ''}.`,
  );
}

/** Does what a start can do without and what blocks for some tenths of a second: by now the first requests are answered. */
async function settle(service: Service, keepCompiled?: () => void): Promise<void> {
  try {
    await service.prepareDocuments();
    keepCompiled?.();
  } catch (error) {
    new Logger('Service').error(error);
  }
}

/** If the address is taken, everything already started is stopped again. */
async function listen(service: Service): Promise<string> {
  try {
    return await service.listen();
  } catch (error) {
    await service.close();
    throw error;
  }
}

async function stop(service: Service, pidFile: PidFile): Promise<never> {
  try {
    await service.close();
    await pidFile.remove();
  } catch (error) {
    fail('Tradepost did not stop cleanly', error);
  }
  process.exit(0);
}

function fail(what: string, error: unknown): never {
  const reason = error instanceof StartRefusal ? error.message : inspect(error);
  process.stderr.write(`${what}: ${reason}\n`);
  process.exit(1);
}

/** Resolves at the first signal to stop, also one that comes while the service still starts; the next one ends it. */
function signalled(): Promise<void> {
  return new Promise((resolve) => {
    let firstAtMs: number | undefined;
    const onSignal = (): void => {
      firstAtMs ??= performance.now();
      if (performance.now() - firstAtMs > SAME_WISH_MS) process.exit(1);
      resolve();
    };
    // A terminal that is closed sends SIGHUP, which ends Node at once unless somebody listens.
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal).on('SIGHUP', onSignal);
  });
}

/** At every `LOG_LEVEL`: who started the service, person or program, waits for it. */
function announce(listensAt: string, config: Config): void {
  const format = logFormatOf(config.logFormat, process.stdout.isTTY);
  if (format === 'text') process.stdout.write(banner({ listensAt, config }));
  else logReady(createPino('info'), { listensAt, config });
}

/**
 * `npm run chain:check`: compares what the connected chains have with what the ledger says. Works on the
 * database of `DATABASE_URL`, or on the embedded one of `DATA_DIR`, and on the nodes of `CHAIN_<NAME>_RPC_URL`,
 * whether the service runs or not. Exit code 0 where all agree, 1 where a chain differs, 2 where nothing could
 * be compared.
 */
import 'reflect-metadata';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { formatAmount } from '../src/domain/money/amount.js';
import { ChainCheck, type ChainCheckResult } from '../src/modules/wallets/chain/chain-check.js';
import { ConfiguredChains } from '../src/modules/wallets/chains/chain-connectors.js';
import { CHAIN_RPC_URLS, ETHEREUM_SETTINGS } from '../src/modules/wallets/chains/chain-settings.js';
import { type Config, loadConfig } from '../src/kit/config/config.js';
import { Settings } from '../src/kit/config/settings.js';
import { StartRefusal } from '../src/kit/config/start-refusal.js';
import { DatabaseConnection } from '../src/kit/database/database-connection.js';
import { typeOrmOptions } from '../src/kit/database/database.module.js';

async function main(): Promise<number> {
  const config = loadConfig();
  const declared = [CHAIN_RPC_URLS, ETHEREUM_SETTINGS];
  const isProduction = config.nodeEnv === 'production';
  const settings = new Settings(declared, config.environment, { isProduction });
  const connectors = new ConfiguredChains(settings).all();
  if (connectors.length === 0) throw new StartRefusal('no chain is connected; set CHAIN_ETHEREUM_RPC_URL');
  const connection = await open(config);
  try {
    const database = await new DataSource(typeOrmOptions(connection.url)).initialize();
    try {
      const check = new ChainCheck(database);
      let differs = false;
      for (const connector of connectors) {
        const result = await check.check(connector);
        process.stdout.write(`${result === null ? `${connector.chain}: never looked at` : report(result)}\n`);
        differs ||= result?.balanced === false;
      }
      return differs ? 1 : 0;
    } finally {
      await database.destroy();
    }
  } finally {
    await connection.close();
  }
}

/** Checking must not make a database where there is none: that would only hide a wrong folder. */
async function open(config: Config): Promise<DatabaseConnection> {
  if (config.databaseUrl === undefined && !existsSync(join(config.dataDir, 'postgres'))) {
    throw new StartRefusal(
      `DATA_DIR ${config.dataDir} holds no database: name the folder of the service, or set DATABASE_URL`,
    );
  }
  return DatabaseConnection.open(config);
}

function report({ chain, balanced, block, assets, problems }: ChainCheckResult): string {
  const figures = assets.map(
    ({ asset, hot, onAddresses, ledger, arriving, leaving }) =>
      `  ${asset}: ${formatAmount(hot)} hot + ${formatAmount(onAddresses)} unswept; ` +
      `ledger ${formatAmount(ledger)} + ${formatAmount(arriving)} arriving - ${formatAmount(leaving)} leaving`,
  );
  const verdict = `${chain} as of block ${block}: ${balanced ? 'balanced' : 'DIFFERS'}`;
  return [verdict, ...figures, ...problems.map((problem) => `  ${problem}`)].join('\n');
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`The chains could not be checked: ${(error as Error).message}\n`);
  process.exitCode = 2;
}

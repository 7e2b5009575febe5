import { openExisting } from './existing-database.js';
import { operatorCommand } from './operator-command.js';
import { DataSource } from 'typeorm';
import { formatAmount } from '../domain/money/amount.js';
import { ChainCheck, type ChainCheckResult } from '../modules/wallets/chain/chain-check.js';
import { ConfiguredChains } from '../modules/wallets/chains/chain-connectors.js';
import { CHAIN_RPC_URLS, ETHEREUM_SETTINGS } from '../modules/wallets/chains/chain-settings.js';
import { type Config, loadConfig } from '../kit/config/config.js';
import { Settings } from '../kit/config/settings.js';
import { StartRefusal } from '../kit/config/start-refusal.js';
import { typeOrmOptions } from '../kit/database/database.module.js';

export const chainCheck = operatorCommand({
  name: 'chain check',
  summary: 'compares what the connected chains have with what the ledger says',
  usage: `

Compares with the nodes of CHAIN_<NAME>_RPC_URL.
`,
  options: {},
  failure: 'The chains could not be checked',
  needs: 'chain',
  async run() {
    const config = loadConfig();
    const declared = [CHAIN_RPC_URLS, ETHEREUM_SETTINGS];
    const isProduction = config.nodeEnv === 'production';
    const settings = new Settings(declared, config.environment, { isProduction });
    const connectors = new ConfiguredChains(settings).all();
    if (connectors.length === 0) throw new StartRefusal('no chain is connected; set CHAIN_ETHEREUM_RPC_URL');
    const connection = await openExisting(config);
    try {
      const database = await new DataSource(typeOrmOptions(connection.url)).initialize();
      try {
        const check = new ChainCheck(database);
        let differs = false;
        for (const connector of connectors) {
          const result = await check.check(connector);
          process.stdout.write(
            `${result === null ? `${connector.chain}: never looked at` : report(result)}\n`,
          );
          differs ||= result?.balanced === false;
        }
        return differs ? 1 : 0;
      } finally {
        await database.destroy();
      }
    } finally {
      await connection.close();
    }
  },
});

function report({ chain, balanced, block, assets, problems }: ChainCheckResult): string {
  const figures = assets.map(
    ({ asset, hot, onAddresses, ledger, arriving, leaving }) =>
      `  ${asset}: ${formatAmount(hot)} hot + ${formatAmount(onAddresses)} unswept; ` +
      `ledger ${formatAmount(ledger)} + ${formatAmount(arriving)} arriving - ${formatAmount(leaving)} leaving`,
  );
  const verdict = `${chain} as of block ${block}: ${balanced ? 'balanced' : 'DIFFERS'}`;
  return [verdict, ...figures, ...problems.map((problem) => `  ${problem}`)].join('\n');
}

import type { Provider, Type } from '@nestjs/common';
import { UnsweptFunds } from '../signing/unswept-funds.js';
import { ChainFees } from '../transfers/chain-fees.js';
import { ChainCheck } from './chain-check.js';
import { ChainFeeEstimates } from './chain-fee-estimates.js';
import { ChainMetrics } from './chain-metrics.js';
import { ChainPoll } from './chain-poll.service.js';
import { ChainWorker } from './chain-worker.js';
import { ChainsController } from './chains.controller.js';
import { ChainsService } from './chains.service.js';
import { Deposits } from './deposits.service.js';
import { ChainDepositsController } from './chain-deposits.controller.js';
import { WalletsDepositsController } from './wallets-deposits.controller.js';
import { CreditedDeposits } from './credited-deposits.js';
import { DepositCredits } from './deposit-credits.service.js';
import { DepositReturns } from './deposit-returns.service.js';
import { DepositScan } from './deposit-scan.service.js';
import { HotWallets } from './hot-wallets.js';
import { HouseAccounts } from './house-accounts.js';
import { HouseGas } from './house-gas.service.js';
import { InternalTransactions } from './internal-transactions.service.js';
import { SendingKeys } from './sending-keys.js';
import { SentTransactions } from './sent-transactions.service.js';
import { Sweeps } from './sweeps.service.js';
import { TransferSender } from './transfer-sender.service.js';
import { UnservedChains } from './unserved-chains.js';

/** What the wallets' module provides for chains, and what the rest of it asks of them. */
export const CHAIN_PROVIDERS: Provider[] = [
  HouseAccounts,
  HotWallets,
  SendingKeys,
  SentTransactions,
  DepositScan,
  InternalTransactions,
  DepositCredits,
  Sweeps,
  TransferSender,
  HouseGas,
  ChainPoll,
  ChainWorker,
  ChainCheck,
  ChainMetrics,
  UnservedChains,
  ChainsService,
  Deposits,
  DepositReturns,
  { provide: ChainFees, useClass: ChainFeeEstimates },
  { provide: UnsweptFunds, useClass: CreditedDeposits },
];

export const CHAIN_CONTROLLERS: Type[] = [
  ChainsController,
  ChainDepositsController,
  WalletsDepositsController,
];

import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { CoreService } from '../../../core/core.service.js';
import { ChainConnectors } from '../chains/chain-connectors.js';
import { decodeCursor, pageOf, type Page } from '../../../kit/http/pagination.js';
import type { Principal } from '../../../kit/security/principal.js';
import { isClosedSql } from '../../users/closed-owners.js';
import { WalletAccessService } from '../access/wallet-access.service.js';
import { depositRulesOf, ruleArrays } from './deposit-rules.js';
import {
  type ChainDepositDto,
  type DepositRow,
  type ListAllDepositsQueryDto,
  type ListDepositsQueryDto,
  type OperatorChainDepositDto,
  toChainDepositDto,
  toOperatorChainDepositDto,
} from './deposit.dto.js';

/** What of the asset waits on the address and may be credited, as `DepositCredits` counts it. */
const WAITS_TOGETHER = `(SELECT sum(other.amount) FROM chain_deposits other
  WHERE other.address_id = d.address_id AND other.asset = d.asset AND NOT other.orphaned
    AND other.status IN ('seen', 'crediting') AND other.amount % r.step = 0)`;

/** The state of a deposit follows from its row and today's rules, so that it is never out of date. */
const STATUS = `CASE
  WHEN d.status = 'credited' THEN 'credited'
  WHEN d.orphaned THEN 'orphaned'
  WHEN d.status <> 'seen' OR d.chain <> ALL ($5::text[]) THEN 'waiting'
  WHEN r.step IS NULL OR d.amount % r.step <> 0 THEN 'unsupported'
  WHEN d.address_id IS NULL THEN 'waiting'
  WHEN ${isClosedSql('w.owner')} THEN 'held_for_review'
  WHEN ${WAITS_TOGETHER} < r.minimum THEN 'below_minimum'
  ELSE 'waiting' END`;

const DEPOSITS = `SELECT d.deposit_id, d.chain, d.tx_hash, d.asset, d.amount, d.source, d.address, d.created_at,
    a.wallet_id, coalesce(w.account_id, c.house_account_id) AS account_id, r.minimum, r.step,
    greatest(0, c.scanned_block - d.block_number + 1) AS confirmations, d.chain = ANY ($5::text[]) AS is_connected,
    t.transfer_id, ${STATUS} AS status
  FROM chain_deposits d
  JOIN chains c ON c.chain = d.chain
  LEFT JOIN wallet_addresses a ON a.address_id = d.address_id
  LEFT JOIN wallets w ON w.wallet_id = a.wallet_id
  LEFT JOIN unnest($1::text[], $2::text[], $3::numeric[], $4::numeric[]) AS r (chain, asset, minimum, step)
    ON r.chain = d.chain AND r.asset = d.asset
  LEFT JOIN wallet_transfers t ON t.deposit_key = d.chain || ':' || d.tx_hash || ':' || d.position`;

/** What has arrived over chains, credited or not, and why not. */
@Injectable()
export class Deposits {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly core: CoreService,
    private readonly connectors: ChainConnectors,
    private readonly access: WalletAccessService,
  ) {}

  /** Of one wallet, newest first. Throws `not_found` (404) for a wallet that is not the caller's, `invalid_cursor`. */
  async list(
    principal: Principal,
    wallet: string,
    query: ListDepositsQueryDto,
  ): Promise<Page<ChainDepositDto>> {
    const { walletId } = await this.access.walletOf(principal, wallet);
    return this.page(query, { walletId }, toChainDepositDto);
  }

  /** Of all wallets, and of the hot wallets; newest first. Throws `invalid_cursor` (400). */
  listOfAll(query: ListAllDepositsQueryDto): Promise<Page<OperatorChainDepositDto>> {
    return this.page(query, query, toOperatorChainDepositDto);
  }

  private async page<Item>(
    { limit, cursor, status }: ListDepositsQueryDto,
    { walletId, chain, at }: Partial<ListAllDepositsQueryDto> & { readonly walletId?: string },
    toItem: (row: DepositRow) => Item,
  ): Promise<Page<Item>> {
    const statuses = status?.split(',');
    const before = decodeCursor(cursor, ['integer'])?.[0];
    const conditions = [
      '($6::bigint IS NULL OR d.deposit_id < $6)',
      '($7::bigint IS NULL OR a.wallet_id = $7)',
      '($8::text IS NULL OR d.chain = $8)',
      // Written out, since the index of those that are open is a partial one.
      ...(statuses === undefined || statuses.includes('credited') ? [] : [`d.status <> 'credited'`]),
      ...(at === undefined ? [] : [`d.address_id IS ${at === 'wallet' ? 'NOT NULL' : 'NULL'}`]),
    ];
    const rows = await this.database.query<DepositRow[]>(
      `SELECT * FROM (${DEPOSITS} WHERE ${conditions.join(' AND ')}) AS deposits
       WHERE $9::text[] IS NULL OR status = ANY ($9) ORDER BY deposit_id DESC LIMIT $10`,
      [...this.rules(), before ?? null, walletId ?? null, chain ?? null, statuses ?? null, limit + 1],
    );
    return pageOf(rows, limit, (row) => [Number(row.deposit_id)], toItem);
  }

  /** The first five parameters of `DEPOSITS`. */
  private rules(): readonly unknown[] {
    const rules = this.connectors
      .all()
      .flatMap((connector) =>
        depositRulesOf(connector, this.core).map((rule) => ({ ...rule, chain: connector.chain })),
      );
    return [
      rules.map(({ chain }) => chain),
      ...ruleArrays(rules),
      this.connectors.all().map(({ chain }) => chain),
    ];
  }
}

import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import type { LiabilityPart, LiabilityStep } from '../../../domain/proof/liability-proof.js';
import type { SiblingSide, SumsJson } from '../../../domain/proof/sum-tree.js';
import { fieldsOf } from '../../../kit/http/fields-of.js';
import { IsUtcTime } from '../../../kit/http/validation/is-utc-time.js';
import {
  type LiabilityCutEntity,
  type LiabilityRunEntity,
  RUN_KINDS,
  RUN_STATUSES,
  type RunKind,
  type RunStatus,
} from './liability-cut.entity.js';
import {
  ASSET_SOURCES,
  type AssetShown,
  type LiabilityReport,
  type LiabilityTotal,
} from './liability-report.js';
import { CUT_IDS } from '../ids.js';

/** The query of routes that answer of one cut. */
export class CutQueryDto {
  /** The newest cut that is not after this time; left out, the newest one. */
  @ApiPropertyOptional({ example: '2026-11-01T12:00:00.000Z' })
  @IsOptional()
  @IsUtcTime()
  as_of?: string;
}

export class LiabilityTotalDto implements LiabilityTotal {
  /** @example "USD" */
  asset: string;
  /**
   * What all accounts of customers have, available and held, and what lies in pools.
   * @example "1250000.5"
   */
  amount: string;
  /**
   * How much of it lies in the pools of event markets: it is owed to whoever will have won.
   * @example "2000"
   */
  in_pools: string;
}

/** What there is of an asset, by the word of somebody other than the ledger. */
export class AssetShownDto implements AssetShown {
  /** @example "ETH" */
  asset: string;
  /** `none`: nobody outside of the service shows this asset. */
  @ApiProperty({ enum: ASSET_SOURCES })
  source: (typeof ASSET_SOURCES)[number];
  /**
   * The chain, or the rail of the bank.
   * @example "ethereum"
   */
  @ApiProperty({ type: String, nullable: true })
  name: string | null;
  /**
   * On a chain what the hot wallet and the addresses of wallets have. Null where the source does not answer, or tells no
   * amounts: reports of banks are about payouts.
   * @example "12.5"
   */
  @ApiProperty({ type: String, nullable: true })
  amount: string | null;
  /** The block of the chain as of which it is. */
  @ApiProperty({ type: 'integer', nullable: true, example: 21034567 })
  block: number | null;
  /**
   * When the chain was asked, or the last report of the bank was read.
   * @example "2026-11-26T00:05:12.000Z"
   */
  @ApiProperty({ type: String, nullable: true })
  observed_at: string | null;
  /** Whether it equals what the ledger says of the source at that moment, except for what is on its way. */
  reconciled: boolean;
}

/** What the service owes at one place of its ledger, signed. */
export class LiabilitiesDto implements LiabilityReport {
  /**
   * RFC 3339 UTC; midnight in daily cuts.
   * @example "2026-11-26T00:00:00.000Z"
   */
  as_of: string;
  /** Everything up to this place of the global ledger sequence counts, and nothing after it. */
  @ApiProperty({ type: 'integer', example: 184467 })
  sequence: number;
  /**
   * Of the Merkle sum tree over all accounts.
   * @example "5b1fbbd0c3b0dd8e3b5e8cfd2e7b29a4c5b0dbe2f0a1c2d3e4f5061728394a5b"
   */
  root_hash: string;
  /** In order of the assets; nothing is owed of others. */
  @ApiProperty({ type: [LiabilityTotalDto] })
  totals: LiabilityTotalDto[];
  /** As seen when the cut was taken, in order of the assets. */
  @ApiProperty({ type: [AssetShownDto] })
  assets_shown: AssetShownDto[];
  /**
   * The key of the service that has signed.
   * @example "0f7e1a2b3c4d5e6f708192a3b4c5d6e7"
   */
  key_id: string;
  /** Ed25519 in base64, over all other members as RFC 8785 JSON. */
  signature: string;
}

const SUMS = {
  type: 'object',
  additionalProperties: { type: 'string', format: 'decimal' },
  example: { USD: '120.5' },
} as const;

/** One of the parts in which a balance is split. */
export class LiabilityLeafDto {
  /** @example "acc_00000000042" */
  account_id: string;
  @ApiProperty({ type: 'integer', example: 1 })
  part: number;
  @ApiProperty({ type: 'integer', example: 2 })
  parts: number;
  /** Available and held together, by asset; the parts add up to the balance. */
  @ApiProperty(SUMS)
  balances: SumsJson;
}

/** A sibling on the way to the root. */
export class LiabilityStepDto implements LiabilityStep {
  hash: string;
  /** By asset. */
  @ApiProperty(SUMS)
  sums: SumsJson;
  /** Where it stands. */
  @ApiProperty({ enum: ['left', 'right'] })
  side: SiblingSide;
}

export class LiabilityPartDto implements LiabilityPart {
  leaf: LiabilityLeafDto;
  /** 32 bytes in hexadecimal digits. */
  salt: string;
  /** From the leaf to the root, the nearest first. */
  @ApiProperty({ type: [LiabilityStepDto] })
  path: LiabilityStepDto[];
}

/** That what an account had is part of what was published. */
export class LiabilityProofDto {
  /** @example "acc_00000000042" */
  account_id: string;
  /** That of the cut, as `GET /liabilities?as_of=` takes it. */
  as_of: string;
  @ApiProperty({ type: 'integer', example: 184467 })
  sequence: number;
  /** The balance in parts at random places, so that no path shows the whole balance of a neighbour. */
  @ApiProperty({ type: [LiabilityPartDto] })
  parts: LiabilityPartDto[];
  /** The `root_hash` of the cut. */
  root: string;
}

/** A cut that operators or the day have asked for. */
export class LiabilityRunDto {
  /** @example "cut_00000000001" */
  cut_id: string;
  @ApiProperty({ enum: RUN_KINDS })
  kind: RunKind;
  /** `failed` after several tries: ask for another one. */
  @ApiProperty({ enum: RUN_STATUSES })
  status: RunStatus;
  /** Accounts whose leaves are made. */
  @ApiProperty({ type: 'integer', example: 1200 })
  accounts_done: number;
  /** Null before they are counted. */
  @ApiProperty({ type: 'integer', nullable: true, example: 5000 })
  accounts_total: number | null;
  /** The `as_of` under which it is published; null before. */
  @ApiProperty({ type: String, nullable: true, example: '2026-11-26T00:00:00.000Z' })
  as_of: string | null;
  /** Of its last try; null before. */
  @ApiProperty({ type: String, nullable: true })
  started_at: string | null;
  @ApiProperty({ type: String, nullable: true })
  finished_at: string | null;
  created_at: string;
}

export function toLiabilitiesDto(cut: LiabilityCutEntity): LiabilitiesDto {
  return {
    as_of: cut.asOf.toISOString(),
    sequence: Number(cut.sequence),
    root_hash: cut.rootHash,
    totals: [...cut.totals],
    assets_shown: [...cut.assetsShown],
    key_id: cut.keyId,
    signature: cut.signature,
  };
}

export function toLiabilityRunDto(run: LiabilityRunEntity, asOf: Date | null): LiabilityRunDto {
  return {
    cut_id: CUT_IDS.format(Number(run.cutId)),
    kind: run.kind,
    status: run.status,
    accounts_done: Number(run.accountsDone),
    accounts_total: run.accountsTotal === null ? null : Number(run.accountsTotal),
    as_of: asOf?.toISOString() ?? null,
    ...fieldsOf(run, 'startedAt', 'finishedAt', 'createdAt'),
  };
}

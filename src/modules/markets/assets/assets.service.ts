import { Injectable } from '@nestjs/common';
import { CoreService } from '../../../core/core.service.js';
import type { AssetView } from '../../../core/core.types.js';
import { formatAmount } from '../../../domain/money/amount.js';
import { decodeCursor, type Page, type PageQueryDto, pageOf } from '../../../kit/http/pagination.js';
import { AssetChains, CurrencyRails } from './asset-ways.js';
import { type AssetChainDto, type AssetListingDto, toAssetListingDto } from './asset-listing.dto.js';

const CRYPTO_NAMES: Readonly<Record<string, string>> = {
  BTC: 'Bitcoin',
  DAI: 'Dai',
  ETH: 'Ether',
  EURC: 'EURC',
  SOL: 'Solana',
  USDC: 'USD Coin',
  USDT: 'Tether',
  WBTC: 'Wrapped Bitcoin',
  WETH: 'Wrapped Ether',
};

const ISO_CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));
const CURRENCY_NAMES = new Intl.DisplayNames(['en'], { type: 'currency' });

/** The assets as the last commit left them, and what this service can do with each. */
@Injectable()
export class AssetsService {
  constructor(
    private readonly core: CoreService,
    private readonly chains: AssetChains,
    private readonly rails: CurrencyRails,
  ) {}

  /** In order of their codes. */
  list({ cursor, limit }: PageQueryDto): Page<AssetListingDto> {
    const [after] = decodeCursor(cursor, ['text']) ?? [''];
    const assets = this.core
      .assets()
      .filter(({ code }) => code > after)
      .sort((a, b) => (a.code < b.code ? -1 : 1));
    return pageOf(
      assets,
      limit,
      ({ code }) => [code],
      (asset) => this.describe(asset),
    );
  }

  private describe(asset: AssetView): AssetListingDto {
    const { code } = asset;
    const chains = this.chainsOf(code);
    const isOnChain = chains.length > 0;
    const isPaidOut = this.rails.isOpen(code);
    const isFiat = !isOnChain && (isPaidOut !== undefined || ISO_CURRENCIES.has(code));
    return toAssetListingDto(asset, {
      name: isFiat && ISO_CURRENCIES.has(code) ? CURRENCY_NAMES.of(code)! : (CRYPTO_NAMES[code] ?? code),
      kind: isFiat ? 'fiat' : 'crypto',
      deposits: isOnChain,
      withdrawals: isOnChain || isPaidOut === true,
      chains,
    });
  }

  private chainsOf(code: string): AssetChainDto[] {
    return this.chains
      .chainsOf(code)
      .map(({ chain, depositMinimum, confirmations }) => ({
        chain,
        deposit_minimum: formatAmount(depositMinimum),
        confirmations,
      }))
      .sort((a, b) => (a.chain < b.chain ? -1 : 1));
  }
}

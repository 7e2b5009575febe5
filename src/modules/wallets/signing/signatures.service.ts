import { errorOf } from '../../accounts/commands/refusals.js';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Counter } from 'prom-client';
import { In, LessThan, Repository, type EntityManager } from 'typeorm';
import { getAddress, isAddress } from 'viem';
import { SecondPerson } from '../../../kit/approvals/second-person.js';
import { SigningPolicy } from './signing-policy.js';
import { NOT_FOUND, APPROVAL_REQUIRED } from '../../../kit/http/error-codes.js';
import { SIGNING_DENIED, ADDRESS_HOLDS_FUNDS } from '../errors.js';
import { ApiError } from '../../../kit/http/errors.js';
import { AnswerTransaction } from '../../../kit/http/idempotency/answer-transaction.js';
import { decodeCursor, pageOf, type Page, type PageQueryDto } from '../../../kit/http/pagination.js';
import { MetricsRegistry } from '../../../kit/metrics/metrics-registry.js';
import type { Principal } from '../../../kit/security/principal.js';
import { requireStepUp } from '../../../kit/security/step-up.js';
import { AddressEntity } from '../keys/address.entity.js';
import { WalletKeys } from '../keys/wallet-keys.js';
import { WalletAccessService } from '../access/wallet-access.service.js';
import { prepareSignature, type PreparedSignature } from './prepared-signature.js';
import {
  toSignatureRecordDto,
  type SignDto,
  type SignatureRecordDto,
  type SignedDto,
} from './signature.dto.js';
import { SignatureEntity } from './signature.entity.js';
import { UnsweptFunds } from './unswept-funds.js';
import { WithdrawalGate } from '../../users/withdrawal-gate.js';
import { ACCOUNT_FROZEN } from '../../../domain/engine/context.js';
import type { WalletEntity } from '../access/wallet.entity.js';
import { ADDRESS_IDS, SIGNATURE_IDS, WALLET_IDS } from '../ids.js';

/** Signatures by the keys of wallets. Every method throws `not_found` (404) for a wallet that is not the caller's. */
@Injectable()
export class SignaturesService {
  private readonly count: Counter<'scheme'>;

  constructor(
    private readonly access: WalletAccessService,
    private readonly keys: WalletKeys,
    private readonly policy: SigningPolicy,
    private readonly secondPerson: SecondPerson,
    private readonly unswept: UnsweptFunds,
    private readonly transaction: AnswerTransaction,
    private readonly gate: WithdrawalGate,
    @InjectRepository(AddressEntity) private readonly addresses: Repository<AddressEntity>,
    @InjectRepository(SignatureEntity) private readonly signatures: Repository<SignatureEntity>,
    metrics: MetricsRegistry,
  ) {
    this.count = metrics.counter({
      name: 'wallet_signatures_total',
      help: 'What keys of wallets have signed for callers.',
      labels: ['scheme'],
    });
  }

  /**
   * Signs a message or typed data, and records that before it answers. Throws, in this order: `not_found` (404) for a
   * wallet of somebody else, `step_up_required` (403), `not_found` for an address that is not the wallet's,
   * `validation_failed` (400), `approval_required` (403) where a second person is needed, what the policy says
   * (`signing_denied`, 422; `approval_required`), `account_frozen` (409), and `address_holds_funds` (422).
   */
  async sign(principal: Principal, walletId: string, body: SignDto): Promise<SignedDto> {
    const wallet = await this.access.walletOf(principal, walletId);
    // What a wallet signs may be as good as a payment: a permit lets its holder take tokens.
    requireStepUp(principal);
    const address = await this.addresses.findOneBy({
      walletId: wallet.walletId,
      address: In(waysToWrite(body.address)),
    });
    if (!address) {
      throw new ApiError(
        NOT_FOUND,
        `The wallet has no such address. See GET /wallets/${walletId}/addresses.`,
      );
    }
    const prepared = prepareSignature(address, body);
    await this.secondPerson.requireNotNeeded(
      wallet.owner,
      'the keys of their wallets sign nothing',
      'Send money over a chain instead, which an operator approves.',
    );
    await this.askPolicy(principal, address, prepared);
    const signed = await this.keys.withKey(address, (key) =>
      this.transaction.run(async (manager) => {
        await this.requireNotFrozen(wallet, manager);
        await this.requireNoFunds(address, manager);
        const { signatureId } = await this.record(principal, address, prepared, manager);
        return {
          signature_id: SIGNATURE_IDS.format(Number(signatureId)),
          signature: prepared.sign(key),
          digest: prepared.digest,
          scheme: prepared.scheme,
        };
      }),
    );
    this.count.inc({ scheme: prepared.scheme });
    return signed;
  }

  /** What the wallet's keys have signed, newest first. Throws `invalid_cursor` (400). */
  async list(
    principal: Principal,
    walletId: string,
    { limit, cursor }: PageQueryDto,
  ): Promise<Page<SignatureRecordDto>> {
    const wallet = await this.access.walletOf(principal, walletId);
    const before = decodeCursor(cursor, ['integer'])?.[0];
    const rows = await this.signatures.find({
      where: {
        walletId: wallet.walletId,
        ...(before !== undefined && { signatureId: LessThan(String(before)) }),
      },
      order: { signatureId: 'DESC' },
      take: limit + 1,
    });
    return pageOf(rows, limit, (signature) => [Number(signature.signatureId)], toSignatureRecordDto);
  }

  private async askPolicy(
    principal: Principal,
    address: AddressEntity,
    { scheme, digest, content }: PreparedSignature,
  ): Promise<void> {
    const verdict = await this.policy.review({
      principal,
      walletId: WALLET_IDS.format(Number(address.walletId)),
      addressId: ADDRESS_IDS.format(Number(address.addressId)),
      chain: address.chain,
      address: address.address,
      scheme,
      digest,
      content,
    });
    if (verdict.verdict === 'deny') throw new ApiError(SIGNING_DENIED, verdict.message);
    if (verdict.verdict === 'needs_approval') throw new ApiError(APPROVAL_REQUIRED, verdict.message);
  }

  /** A signature may promise what the wallet has. */
  private async requireNotFrozen({ accountId }: WalletEntity, manager: EntityManager): Promise<void> {
    await this.gate.enter(manager);
    const held = await this.gate.heldAmong([accountId], manager);
    if (held.size > 0) throw errorOf(ACCOUNT_FROZEN);
  }

  /**
   * A signature can move the address's money, as an ERC-20 permit does. Crediting a deposit locks the same row, and
   * then sees that the address has signed.
   */
  private async requireNoFunds({ addressId }: AddressEntity, manager: EntityManager): Promise<void> {
    await manager.query('SELECT FROM wallet_addresses WHERE address_id = $1 FOR UPDATE', [addressId]);
    if (await this.unswept.holdsFunds(addressId, manager)) {
      throw new ApiError(
        ADDRESS_HOLDS_FUNDS,
        'Money that the wallet was credited with still lies at this address; sign once it has been collected, or by an address that has received none.',
      );
    }
  }

  private async record(
    principal: Principal,
    { walletId, addressId, address }: AddressEntity,
    { scheme, digest }: PreparedSignature,
    manager: EntityManager,
  ): Promise<SignatureEntity> {
    await manager.query(
      'UPDATE wallet_addresses SET signed_at = now() WHERE address_id = $1 AND signed_at IS NULL',
      [addressId],
    );
    return manager.save(
      manager.create(SignatureEntity, {
        walletId,
        addressId,
        address,
        scheme,
        digest,
        requestedBy: principal.key,
      }),
    );
  }
}

/** Case means nothing but a checksum in ethereum's addresses, and nothing at all in bitcoin's. */
function waysToWrite(address: string): string[] {
  const checksummed = isAddress(address, { strict: false }) ? [getAddress(address)] : [];
  return [address, ...checksummed, address.toLowerCase()];
}

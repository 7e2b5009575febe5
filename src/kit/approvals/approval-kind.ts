import type { EntityManager } from 'typeorm';
import type { ApprovalEntity } from './approval.entity.js';

/** An approval with the payload type of its kind. */
export type ApprovalOf<Payload extends object> = Omit<ApprovalEntity, 'payload'> & {
  readonly payload: Payload;
};

/**
 * How one kind of act is carried out once a second person has approved it; the module that owns the act declares it by
 * `carriedOutBy` of its type. The `approval` passed in has `decidedBy` and `reason` set.
 */
export interface ApprovalKind<Payload extends object = object> {
  /**
   * Whether the act has rows and states of its own, which the approval follows. Then the approval does not expire, and
   * a refusal leaves it pending. A rejection decides about somebody's money, so related persons may not reject.
   */
  readonly hasOwnStates?: boolean;

  /** Locks the act's own row, always before the approval. Throws if the act no longer waits for approval. */
  lock?(payload: Payload, manager: EntityManager): Promise<void>;

  /** Runs in the transaction of the approval. An `ApiError` below 500 is a refusal. */
  approved?(approval: ApprovalOf<Payload>, manager: EntityManager): Promise<void>;

  /** Runs in the transaction of the rejection. */
  rejected?(approval: ApprovalOf<Payload>, manager: EntityManager): Promise<void>;

  /**
   * Runs after the approval is committed. It is retried after a crash, so it must be idempotent: commands of the core
   * use a key made from the approval's id. An `ApiError` below 500 is a refusal, the same at each retry; any other
   * error is retried.
   */
  carryOut?(approval: ApprovalOf<Payload>): Promise<void>;

  /** Runs at once after a rejection is committed; if it fails, the act's own sweep repeats it. */
  afterRejection?(approval: ApprovalOf<Payload>): Promise<void>;
}

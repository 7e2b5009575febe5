import { Injectable } from '@nestjs/common';
import { CONFLICT } from '../http/error-codes.js';
import { ApiError } from '../http/errors.js';
import type { ApprovalKind } from './approval-kind.js';
import type { ApprovalType } from './approval-type.js';

/** All kinds of acts that take two persons, with what carries them out. */
@Injectable()
export class ApprovalKinds {
  private readonly kinds = new Map<string, ApprovalKind>();

  /** For each kind that a module declares in `approvals`, before the service has started. */
  register({ name }: ApprovalType<object>, kind: ApprovalKind): void {
    this.kinds.set(name, kind);
  }

  get names(): readonly string[] {
    return [...this.kinds.keys()];
  }

  /** Throws `conflict` (409) for a kind of a plugin that is not loaded any more. */
  of(name: string): ApprovalKind {
    const kind = this.kinds.get(name);
    if (kind === undefined) {
      throw new ApiError(CONFLICT, `Approvals of the kind ${name} need their plugin, which is not loaded.`);
    }
    return kind;
  }
}

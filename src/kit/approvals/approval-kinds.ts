import { Injectable } from '@nestjs/common';
import { CONFLICT } from '../http/error-codes.js';
import { ApiError } from '../http/errors.js';
import { insufficientScope } from '../security/challenges.js';
import { operators } from '../security/operator-roles.js';
import { ADMIN, grants } from '../security/scope.js';
import type { ApprovalKind } from './approval-kind.js';
import type { ApprovalType } from './approval-type.js';

/** All kinds of acts that take two persons, with what carries them out. */
@Injectable()
export class ApprovalKinds {
  private readonly kinds = new Map<
    string,
    { readonly type: ApprovalType<object>; readonly kind: ApprovalKind }
  >();

  /** For each kind that a module declares in `approvals`, before the service has started. */
  register(type: ApprovalType<object>, kind: ApprovalKind): void {
    this.kinds.set(type.name, { type, kind });
  }

  get names(): readonly string[] {
    return [...this.kinds.keys()];
  }

  /** The kinds that operators with these scopes see and decide about; undefined for all, those of absent plugins too. */
  seenWith(scopes: ReadonlySet<string>): readonly string[] | undefined {
    if (scopes.has(ADMIN.name)) return undefined;
    return this.names.filter((name) => grants(scopes, this.kinds.get(name)!.type.decides));
  }

  /** Throws `insufficient_scope` (403) for operators in other roles than the kind needs. */
  requireRole(name: string, scopes: ReadonlySet<string>): void {
    const decides = this.kinds.get(name)?.type.decides ?? operators();
    if (!grants(scopes, decides)) throw insufficientScope(decides);
  }

  /** Throws `conflict` (409) for a kind of a plugin that is not loaded any more. */
  of(name: string): { readonly type: ApprovalType<object>; readonly kind: ApprovalKind } {
    const found = this.kinds.get(name);
    if (found === undefined) {
      throw new ApiError(CONFLICT, `Approvals of the kind ${name} need their plugin, which is not loaded.`);
    }
    return found;
  }
}

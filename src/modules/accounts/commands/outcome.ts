import type { CommandResult, Outcome } from '../../../domain/engine/commands.js';
import { errorOf } from './refusals.js';

/** The result of a command that the engine accepted; what it refused is thrown under its own code. */
export function resultOf<T extends CommandResult['type']>(
  outcome: Outcome | undefined,
  type: T,
): Extract<CommandResult, { type: T }> {
  if (outcome === undefined) throw new Error('the core answered fewer commands than it was given');
  if (!outcome.ok) throw errorOf(outcome.refusal);
  const { result } = outcome;
  if (result.type !== type) throw new Error(`expected a result of type ${type}, not ${result.type}`);
  return result as Extract<CommandResult, { type: T }>;
}

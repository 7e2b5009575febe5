import type { FollowerLag } from '../followers/followers.js';

export interface CoreStatus {
  readonly leading: boolean;
  /** Another process leads; this one serves reads of its commits, and can forward commands to it. */
  readonly following: boolean;
  /** Who leads another installation, such as a restored copy, that uses the same Redis; null where there is none. */
  readonly otherInstallation: { readonly holder: string; readonly epoch: number } | null;
  readonly epoch: number;
  readonly sequence: number;
  /** Commands that wait for their commit. */
  readonly queueDepth: number;
  /** How long the oldest waiting request has waited. */
  readonly lagMs: number;
  readonly stateHash: string;
  /** By how much the wall clock is ahead of commands' time; shown where it was set by more than is followed. */
  readonly clock: { readonly driftMs: number; readonly hasStepped: boolean };
  /** How far the tables are, how long the oldest commit waits for them, and what keeps them from moving, if anything. */
  readonly projection: { readonly sequence: number; readonly lagMs: number; readonly failure: string | null };
  /** What follows commits in this process, and how long the oldest commit waits for each. */
  readonly followers: readonly FollowerLag[];
  /** Markets that the core itself halted, with the reason. */
  readonly faults: readonly { readonly marketId: string; readonly reason: string }[];
}

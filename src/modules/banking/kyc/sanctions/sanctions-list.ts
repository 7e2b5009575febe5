import { hash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { AuditLog } from '../../../../kit/audit/audit-log.js';
import { Settings } from '../../../../kit/config/settings.js';
import { ConfigError } from '../../../../kit/config/start-refusal.js';
import { MetricsRegistry } from '../../../../kit/metrics/metrics-registry.js';
import { CONFLICT } from '../../../../kit/http/error-codes.js';
import { ApiError } from '../../../../kit/http/errors.js';
import { NameIndex, type NameMatch } from './name-index.js';
import { readOtherNames, readPeople, type ListedPerson } from './sdn-file.js';
import { KYC_SETTINGS } from '../kyc-settings.js';

const MATCHES_MAX = 10;

interface LoadedList {
  readonly people: ReadonlyMap<string, ListedPerson>;
  readonly index: NameIndex;
  /** What the files were when they were read: their times and sizes. */
  readonly version: string;
  readonly loadedAt: Date;
}

export interface SanctionsListState {
  readonly people: number;
  /** Their own and their other names together. */
  readonly names: number;
  readonly loadedAt: Date;
  /** Changes whenever the files do. */
  readonly version: string;
}

/**
 * The sanctions list of `SANCTIONS_FILE`, in memory. It is reloaded when the file has changed; if that fails, the
 * previous list stays and a warning is logged.
 */
@Injectable()
export class SanctionsList implements OnModuleInit {
  private readonly logger = new Logger('Sanctions');
  private list: LoadedList | undefined;
  private reading: Promise<LoadedList> | undefined;
  /** The version that last failed to load, so that it is logged once. */
  private unreadableVersion: string | undefined;

  constructor(
    private readonly settings: Settings,
    private readonly audit: AuditLog,
    metrics: MetricsRegistry,
  ) {
    metrics.gauge({
      name: 'sanctions_list_people',
      help: 'People on the sanctions list that names are checked against; 0 without one.',
      collect: (gauge) => gauge.set(this.list?.people.size ?? 0),
    });
    metrics.gauge({
      name: 'sanctions_list_stale',
      help: '1 while the sanctions list has changed and cannot be read.',
      collect: (gauge) => gauge.set(this.unreadableVersion === undefined ? 0 : 1),
    });
  }

  /** Throws a ConfigError, which keeps the service from starting, for a list that cannot be used. */
  async onModuleInit(): Promise<void> {
    const { sanctionsFile } = this.settings.get(KYC_SETTINGS);
    if (sanctionsFile === undefined) return;
    try {
      const { people } = await this.read(sanctionsFile);
      this.logger.log({ people: people.size, msg: 'the sanctions list was read' });
    } catch (error) {
      throw new ConfigError('SANCTIONS_FILE', `cannot be used: ${(error as Error).message}.`, {
        cause: error,
      });
    }
  }

  /** Facts about the list; `undefined` if there is none. */
  state(): SanctionsListState | undefined {
    if (this.list === undefined) return undefined;
    const { people, index, loadedAt, version } = this.list;
    return {
      people: people.size,
      names: index.size,
      loadedAt,
      version: hash('sha256', version).slice(0, 16),
    };
  }

  /** The entry of a uid; `undefined` if the list no longer has it. */
  entry(uid: string): ListedPerson | undefined {
    return this.list?.people.get(uid);
  }

  /**
   * The entries with similar names, best first, from `SANCTIONS_SCORE_MIN` on, in the current file. `undefined` if
   * there is no list.
   */
  async search(name: string): Promise<readonly NameMatch[] | undefined> {
    await this.refresh();
    return this.list?.index.search(name, this.settings.get(KYC_SETTINGS).sanctionsScoreMin, MATCHES_MAX);
  }

  /** Reads the files again if they have changed; answers whether they had. A list that cannot be read changes nothing. */
  async refresh(): Promise<boolean> {
    const { sanctionsFile } = this.settings.get(KYC_SETTINGS);
    if (sanctionsFile === undefined) return false;
    let version: string | undefined;
    try {
      version = await this.versionOf(sanctionsFile);
      if (version === this.list?.version || version === this.unreadableVersion) return false;
      const { people } = await this.read(sanctionsFile);
      this.logger.log({ people: people.size, msg: 'the sanctions list was read again' });
      return true;
    } catch (error) {
      this.unreadableVersion ??= version ?? 'unreadable';
      this.logger.error({ err: error, msg: 'the sanctions list cannot be read; the one before is used' });
      return false;
    }
  }

  /** Reads the files whether they have changed or not; nothing without a list. Throws `conflict` (409) where they cannot be read. */
  async reload(): Promise<SanctionsListState | undefined> {
    const { sanctionsFile } = this.settings.get(KYC_SETTINGS);
    // Recorded first, since reloading memory has no transaction to join.
    await this.audit.recordAlone({ target: { type: 'sanctions_list', id: sanctionsFile ?? 'none' } });
    if (sanctionsFile === undefined) return undefined;
    try {
      await this.read(sanctionsFile);
    } catch (error) {
      throw new ApiError(CONFLICT, 'The list cannot be read, and the one before stays in use. See the log.', {
        cause: error,
      });
    }
    return this.state();
  }

  private read(path: string): Promise<LoadedList> {
    this.reading ??= this.readFiles(path).finally(() => {
      this.reading = undefined;
    });
    return this.reading;
  }

  private async readFiles(path: string): Promise<LoadedList> {
    // Read before the file: a change during the read then causes a reload.
    const version = await this.versionOf(path);
    const people = await readPeople(path);
    if (people.length === 0) throw new Error(`${path} lists no person in the form of OFAC's sdn.csv`);
    const { sanctionsAltFile } = this.settings.get(KYC_SETTINGS);
    const byUid = new Map(people.map((person) => [person.uid, person]));
    const others = sanctionsAltFile === undefined ? [] : await readOtherNames(sanctionsAltFile);
    const index = new NameIndex([...people, ...others.filter(({ uid }) => byUid.has(uid))]);
    this.unreadableVersion = undefined;
    this.list = { people: byUid, index, version, loadedAt: new Date() };
    return this.list;
  }

  private async versionOf(path: string): Promise<string> {
    const paths = [path, this.settings.get(KYC_SETTINGS).sanctionsAltFile].filter(
      (each) => each !== undefined,
    );
    const states = await Promise.all(paths.map((each) => stat(each)));
    return states.map(({ mtimeMs, size, ino }) => `${mtimeMs}/${size}/${ino}`).join(' ');
  }
}

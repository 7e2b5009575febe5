import { Inject, Injectable, Logger } from '@nestjs/common';
import type { ClientBase } from 'pg';
import { CONFIG, type Config } from '../../kit/config/config.js';
import { DamagedState } from '../state/state-rows.js';
import { headsFolder } from './head-files.js';
import { faultOfLastHead, lastHeadIn } from './last-head.js';

/** What this process has signed before, by the files of `DATA_DIR`, which a lost or older database would contradict. */
@Injectable()
export class OwnHeads {
  private readonly logger = new Logger('Journal');
  private readonly folder: string;
  private readonly isRefused: boolean;

  constructor(@Inject(CONFIG) { dataDir, nodeEnv }: Pick<Config, 'dataDir' | 'nodeEnv'>) {
    this.folder = headsFolder(dataDir);
    this.isRefused = nodeEnv === 'production';
  }

  /**
   * Call it at each take-over, once no other process can lead.
   * @throws DamagedState in production where the journal has not what was signed; elsewhere that is logged
   */
  async assertKept(client: ClientBase): Promise<void> {
    const head = await lastHeadIn(this.folder);
    if (head === null) return;
    const fault = await faultOfLastHead(client, head);
    if (fault === null) return;
    const message =
      `${fault}, by the files in ${this.folder}. The database is another one, or was lost: restore it ` +
      '(docs/operating.md, A real restore). If it is to go on as it is, move this folder away first';
    if (this.isRefused) throw new DamagedState(message);
    this.logger.error({ msg: message });
  }
}

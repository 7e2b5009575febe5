import { extensionPoint } from '../module/extension-point.js';
import { TradepostModule } from '../module/tradepost-module.js';
import { FileStore } from './file-store.js';
import { FolderFileStore } from './folder-file-store.js';

/** Where files are kept. */
@TradepostModule({ name: 'files', extensionPoints: [extensionPoint(FileStore, FolderFileStore)] })
export class FilesModule {}

import { startTestApp } from '../../support/app.js';
import { COLD_SETTINGS, describeColdWalk } from '../../support/cold-walk.js';

await describeColdWalk('each operation right after a start, with caches that forget', ({ url }) =>
  startTestApp({ ...COLD_SETTINGS, databaseUrl: url }),
);

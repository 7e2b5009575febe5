import { Schedule, TradepostPlugin } from '../../src/index.js';
import { CreateAcmePoints1790000000010 } from './create-points.migration.js';
import { CLOSE_MONTH, Months } from './months.js';
import { Points } from './points.consumer.js';
import { Readers } from './readers.listener.js';

/** Points for what is traded: a consumer of the ledger, a listener to events and a schedule. */
@TradepostPlugin({
  name: 'loyalty-points',
  compatibility: '^0.1.0',
  migrations: [CreateAcmePoints1790000000010],
  consumers: [Points, Readers],
  jobs: [CLOSE_MONTH.handledBy(Months, (months, run) => months.close(run))],
  schedules: [new Schedule(CLOSE_MONTH, '0 0 1 * *')],
  providers: [Months],
})
export default class LoyaltyPointsPlugin {}

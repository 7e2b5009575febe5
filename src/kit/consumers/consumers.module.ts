import { TradepostModule } from '../module/tradepost-module.js';
import { ConsumerRecords } from './consumer-records.js';
import { Consumers } from './consumers.js';
import { EventListeners } from './event-listeners.js';
import { ListenedEventEntity } from './listened-event.entity.js';
import { PluginConsumerEntity } from './plugin-consumer.entity.js';

/** The consumers of plugins, and the events that these listen to; needs the database. */
@TradepostModule({
  name: 'consumers',
  entities: [ListenedEventEntity, PluginConsumerEntity],
  // A publisher that was killed may publish again what it has published.
  purges: [
    {
      table: 'listened_events',
      key: ['event_id'],
      over: `created_at < now() - interval '1 hour'
        AND place <= ALL (SELECT place FROM plugin_consumers WHERE types <> '{}')`,
      orderBy: 'event_id',
    },
  ],
  duties: [EventListeners],
  providers: [ConsumerRecords, Consumers],
  exports: [ConsumerRecords, Consumers],
})
export class ConsumersModule {}

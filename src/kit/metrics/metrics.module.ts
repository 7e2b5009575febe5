import { Module } from '@nestjs/common';
import { MetricsRegistry } from './metrics-registry.js';

@Module({ providers: [MetricsRegistry], exports: [MetricsRegistry] })
export class MetricsModule {}

import { Module } from '@nestjs/common';
import { Filters } from './filters.js';

/** What plugins have to say of what people write. */
@Module({ providers: [Filters], exports: [Filters] })
export class FiltersModule {}

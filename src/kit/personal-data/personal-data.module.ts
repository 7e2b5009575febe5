import { Module } from '@nestjs/common';
import { PersonalDataRegistry } from './personal-data.js';

/** Where modules register the personal data that they hold. */
@Module({ providers: [PersonalDataRegistry], exports: [PersonalDataRegistry] })
export class PersonalDataModule {}

import { Global, Module } from '@nestjs/common';
import { Persons } from '../../kit/approvals/persons.js';
import { UserPersons } from './user-persons.js';

/** Binds what approvals ask of persons; apart from `UsersModule`, which itself needs approvals. */
@Global()
@Module({ providers: [{ provide: Persons, useClass: UserPersons }], exports: [Persons] })
export class PersonsModule {}

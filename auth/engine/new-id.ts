import { generateId, type AuthContext } from 'better-auth'

/** An id for a row that the engine does not store itself, made as its own are. */
export const newId = ({ generateId: own }: Pick<AuthContext, 'generateId'>, model: string): string => own({ model }) || generateId()

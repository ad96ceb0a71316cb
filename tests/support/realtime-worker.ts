/** realtime/ as a process, whose webhooks may reach servers of this machine. */
import { localReceivers } from '../../realtime/index.ts'
import { main } from '../../realtime/main.ts'

await main(localReceivers)

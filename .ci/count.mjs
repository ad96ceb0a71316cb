// Prints the files that took longest in the reports of vitest in a folder, each test that failed with its reason, and then the count of everything.
// node .ci/count.mjs <folder> <checks that passed> <checks that failed>
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const [, , folder, checksPassed, checksFailed] = process.argv
const reports = readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')))
const files = reports.flatMap(({ testResults }) => testResults)
const sum = (key) => reports.reduce((total, report) => total + report[key], 0)

const longest = files.map(({ name, startTime, endTime }) => ({ name, seconds: Math.round((endTime - startTime) / 1000) })).toSorted((a, b) =>
  b.seconds - a.seconds
)
for (const { name, seconds } of longest.slice(0, 15)) console.log(`took ${seconds} s: ${name}`)

for (const { name, assertionResults } of files) {
  for (const { status, fullName, failureMessages } of assertionResults) {
    if (status === 'failed') console.log(`failed: ${name}: ${fullName}\n${failureMessages.join('\n').slice(0, 1_500)}`)
  }
}

// a file that could not be loaded has no tests to count
const unloaded = files.filter(({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'))
for (const { name, message } of unloaded) console.log(`failed: ${name}: ${String(message).slice(0, 1_500)}`)

const failed = Number(checksFailed) + sum('numFailedTests') + sum('numPendingTests') + unloaded.length
console.log(`${sum('numPassedTests') + Number(checksPassed)} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

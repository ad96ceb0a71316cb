// Summarizes a run: prints the slowest test files of each stage, the failed tests with their
// errors, and the totals. Usage: node .ci/count.mjs <folder with one vitest report per stage>
// <number of passed checks> <number of failed checks>
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const [, , folder, checksPassed, checksFailed] = process.argv
const stages = readdirSync(folder).map((file) => ({ stage: file.replace('.json', ''), report: JSON.parse(readFileSync(join(folder, file), 'utf8')) }))
const reports = stages.map(({ report }) => report)
const files = reports.flatMap(({ testResults }) => testResults)
const sum = (key) => reports.reduce((total, report) => total + report[key], 0)

for (const { stage, report } of stages) {
  const took = report.testResults.map(({ name, startTime, endTime }) => ({ name, seconds: Math.round((endTime - startTime) / 1000) }))
  for (const { name, seconds } of took.toSorted((a, b) => b.seconds - a.seconds).slice(0, 15)) {
    console.log(`took ${seconds} s: ${stage}: ${relative('', name)}`)
  }
}

for (const { name, assertionResults } of files) {
  for (const { status, fullName, failureMessages } of assertionResults) {
    if (status === 'failed') console.log(`failed: ${name}: ${fullName}\n${failureMessages.join('\n').slice(0, 1_500)}`)
  }
}

// a file that failed to load has no test results
const unloaded = files.filter(({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'))
for (const { name, message } of unloaded) console.log(`failed: ${name}: ${String(message).slice(0, 1_500)}`)

const failed = Number(checksFailed) + sum('numFailedTests') + sum('numPendingTests') + unloaded.length
console.log(`${sum('numPassedTests') + Number(checksPassed)} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

// npm run audit     known vulnerabilities in the packages that users get; passes, with a message, if the registry does not answer
import { spawnSync } from 'node:child_process';

type Answer = {
  message?: string;
  metadata?: { vulnerabilities: Record<'low' | 'moderate' | 'high' | 'critical', number> };
  vulnerabilities?: Record<string, { severity: string; range: string }>;
};

const { stdout, error } = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
  encoding: 'utf8',
  shell: process.platform === 'win32',
});
const answer: Answer = error ? {} : read(stdout);
if (error) {
  console.log(`audit: not done, npm could not be started (${error.message})`);
} else if (!answer.metadata) {
  console.log(`audit: not done, the registry gave no answer (${answer.message ?? 'no reason given'})`);
} else {
  const { low, moderate, high, critical } = answer.metadata.vulnerabilities;
  for (const [name, { severity, range }] of Object.entries(answer.vulnerabilities ?? {}))
    console.log(`audit: ${severity}: ${name} ${range}`);
  console.log(`audit: ${critical} critical, ${high} high, ${moderate} moderate, ${low} low`);
  process.exitCode = high + critical > 0 ? 1 : 0;
}

function read(text: string): Answer {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    return {};
  }
}

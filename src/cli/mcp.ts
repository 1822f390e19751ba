import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';

import { UsageError } from '../base/index.js';
import { addDeclared } from './run-options.js';
import { EXIT } from './reporters.js';

/** How a program that runs agents is told about a server. */
type Client = {
  /** Where the text belongs. */
  readonly file: string;
  write(command: string, args: readonly string[]): string;
};

const servers = (key: string, more: object = {}): Client['write'] => {
  return (command, args) => JSON.stringify({ [key]: { throughline: { ...more, command, args } } }, null, 2);
};

/** Programs whose configuration can be printed. */
const CLIENTS: Readonly<Record<string, Client>> = {
  'claude-code': { file: '.mcp.json in the folder of a project', write: servers('mcpServers', { type: 'stdio' }) },
  'claude-desktop': { file: 'claude_desktop_config.json', write: servers('mcpServers') },
  cursor: { file: '.cursor/mcp.json in a project, or ~/.cursor/mcp.json', write: servers('mcpServers') },
  gemini: { file: '~/.gemini/settings.json', write: servers('mcpServers') },
  vscode: { file: '.vscode/mcp.json in a project', write: servers('servers', { type: 'stdio' }) },
  zed: { file: 'settings.json, beside its other settings', write: servers('context_servers') },
  codex: {
    file: '~/.codex/config.toml',
    write: (command, args) =>
      `[mcp_servers.throughline]\ncommand = ${JSON.stringify(command)}\nargs = [${args.map((each) => JSON.stringify(each)).join(', ')}]`,
  },
};

type McpFlags = { config?: boolean; client?: string; jobs?: number };

/** Adds `mcp`. `end` is called with the exit code. */
export function addMcp(program: Command, end: (code: number) => void): void {
  const mcp = program
    .command('mcp')
    .description(
      'Serve agents over the Model Context Protocol, on standard input and output. Only these folders are used.',
    )
    .argument('[folders...]', 'folders of videos or topics, or folders that hold some')
    .addOption(new Option('--config', 'Print the configuration for programs that run agents, and end.'))
    .addOption(
      new Option('--client <NAME>', 'Print only that of one program, as its file has it.').choices(
        Object.keys(CLIENTS),
      ),
    );
  addDeclared(mcp, ['jobs'])
    .addHelpText(
      'after',
      '\nExamples:\n  throughline mcp ./footage --config\n  throughline mcp ./footage --client vscode',
    )
    .exitOverride()
    .action(async (folders: string[], flags: McpFlags) => end(await runMcp(folders, flags)));
}

async function runMcp(folders: readonly string[], { config, client, jobs }: McpFlags): Promise<number> {
  if (config || client !== undefined) {
    process.stdout.write(configText(folders.length > 0 ? folders : ['.'], client));
    return EXIT.done;
  }
  if (folders.length === 0) {
    throw new UsageError(
      'no-folders',
      'Expected the folders that agents may use after "throughline mcp", found none. Name some.',
    );
  }
  const { serveAgents } = await import('../agents/index.js');
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  await serveAgents(folders, { jobs, signal: stop.signal });
  process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  return EXIT.done;
}

/** How to start this installation with these folders, for one program or for all. */
function configText(folders: readonly string[], client: string | undefined): string {
  const args = [realpathSync(process.argv[1]!), 'mcp', ...folders.map((folder) => resolve(folder))];
  const names = client === undefined ? Object.keys(CLIENTS) : [client];
  return names
    .map((name) => {
      const { file, write } = CLIENTS[name]!;
      const text = `${write(process.execPath, args)}\n`;
      return client === undefined ? `# ${name}: ${file}\n${text}` : text;
    })
    .join('\n');
}

import { SextantError } from '../base/errors.ts';
import { describeOwner, type LeaseOwner } from '../base/lease.ts';

export const contextErrors = {
  noKey: (hint = ''): SextantError =>
    new SextantError(
      'NoApiKey',
      `API key is required: give the option apiKey, or set SEXTANT_SESSION_AUTH or SEXTANT_API_TOKEN.${hint}`,
    ),
  noUrl: (hint = ''): SextantError =>
    new SextantError(
      'NoApiUrl',
      `API URL is required: give the option apiUrl, or set SEXTANT_SESSION_AUTH or SEXTANT_API_URL.${hint}`,
    ),
  badKey: (): SextantError =>
    new SextantError(
      'InvalidApiKey',
      'The API key has a line break or another character that no request can carry. Remove it: files often end with a line break.',
    ),
  badUrl: (url: string): SextantError =>
    new SextantError('InvalidApiUrl', `"${url}" is no API URL. Give an address such as https://code.example.`),
  badSession: (): SextantError =>
    new SextantError(
      'InvalidSession',
      'SEXTANT_SESSION_AUTH is not a session: JSON with accessToken and tenantURL is needed.',
    ),
  notInitialized: (): SextantError =>
    new SextantError('NotInitialized', 'Index not initialized: add files with addToIndex first.'),
  indexingTimeout: (ms: number, left: number): SextantError =>
    new SextantError(
      'IndexingTimeout',
      `Indexing timeout: ${left} files are not indexed after ${ms / 1000} s. Wait again with waitForIndexing.`,
    ),
  filesMissing: (missing: number, total: number, example: string): SextantError =>
    new SextantError(
      'FilesMissing',
      `The index lacks ${missing} of the ${total} files of this context, ${example} for instance: the state was imported where ` +
        'they are not, or they were unused for too long. Add them again with addToIndex, or remove them with removeFromIndex.',
    ),
  searchOnlyMissing: (what: string, cause?: unknown): SextantError =>
    new SextantError(
      'FilesMissing',
      `The index lacks ${what} of this search-only state: it was imported where the files are not, or they were unused for ` +
        'too long. Import a full state, add its files again with addToIndex, and export again.',
      { cause },
    ),
  noStateFile: (file: string, cause: unknown): SextantError =>
    new SextantError('NoStateFile', `There is no file ${file}. Name one that exportToFile wrote.`, { cause }),
  isFolder: (file: string, cause: unknown): SextantError =>
    new SextantError('IsAFolder', `${file} is a folder. Name a file.`, { cause }),
  noFolder: (file: string, folder: string, cause: unknown): SextantError =>
    new SextantError(
      'NotAFolder',
      `${file} was not written: there is no folder ${folder}. Create it, or name another file.`,
      { cause },
    ),
  searchOnly: (operation: string): SextantError =>
    new SextantError(
      'SearchOnly',
      `${operation} needs to know the files, and this context was imported from a search-only state. Import a full one.`,
    ),
  badState: (what: string, cause?: unknown): SextantError =>
    new SextantError(
      'InvalidState',
      `This is not the state of a context (${what}). A state is what export() returns: an object with blobs, a list of ` +
        '[blobName, path], or with mode "search-only" and addedBlobs or checkpointId.',
      { cause },
    ),
  badFiles: (what: string): SextantError => new SextantError('InvalidArgument', what),
  closed: (): SextantError => new SextantError('ContextClosed', 'The context is closed. Create or import another.'),
  noAnswerer: (): SextantError =>
    new SextantError('NoModel', 'No model answers questions here. Give the option answer, or use search.'),
  noModel: (): SextantError =>
    new SextantError(
      'NoModel',
      'no model is configured, and the prompt contains no code. Start the server with --provider openai, or search first',
    ),
  badCliPath: (): SextantError =>
    new SextantError('InvalidCliPath', 'Invalid cliPath: it is empty. Name the command, or leave it out for sextant.'),
  notAFolder: (directory: string): SextantError =>
    new SextantError('NotAFolder', `There is no folder ${directory}. Name the one to be indexed.`),
  noCommand: (command: string, code: string, cause: unknown): SextantError =>
    new SextantError(
      'NoCommand',
      `The command ${command} cannot be started (${code}). Install it with "npm install --global sextant-code", or name its path with ` +
        'cliPath.',
      { cause },
    ),
  commandFailed: (command: string, why: string, cause: unknown): SextantError =>
    new SextantError('CommandFailed', `The command ${command} did not start: ${why}`, { cause }),
  retrievalFailed: (why: string, cause: unknown): SextantError =>
    new SextantError('RetrievalFailed', `Codebase retrieval failed: ${why}`, { cause }),
  noCredentials: (cause: SextantError): SextantError =>
    new SextantError('NoCredentials', `API credentials are required for searchAndAsk. ${cause.message}`, { cause }),
  noCheckpoint: (id: string): SextantError =>
    new SextantError(
      'CheckpointNotFound',
      `there is no checkpoint "${id.slice(0, 100)}"; it may have been unused for too long. Add the files again`,
    ),
  notUploaded: (name: string, count: number): SextantError =>
    new SextantError(
      'FilesMissing',
      `${count} of the files of ${name} were never uploaded, or were unused for too long. Upload them, and put the name again`,
    ),
  nothingToPush: (folder: string): SextantError =>
    new SextantError(
      'NothingToPush',
      `${folder} has no file that can be searched. Name another folder, or see what "sextant index" leaves out.`,
    ),
  noSuchFile: (name: string): SextantError =>
    new SextantError(
      'NoSuchFile',
      `there is no such file in the repository ${name}, or you may not read it. Search again`,
    ),
  storeBusy: (folder: string, owner: LeaseOwner): SextantError =>
    new SextantError('StoreBusy', `${describeOwner(owner)} uses the index in ${folder}. Use another folder.`),
  storeNewer: (file: string): SextantError =>
    new SextantError('StoreNewer', `${file} is of a newer version of Sextant. Update, or use another folder.`),
};

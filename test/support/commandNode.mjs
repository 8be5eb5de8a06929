// Starts the command with another Node than the tests, which need one that runs TypeScript.
// Loaded with --require by the stage "oldest-node".
const { SEXTANT_TEST_NODE } = process.env;
process.env.SEXTANT_NODE_OF_TESTS = process.execPath;
if (SEXTANT_TEST_NODE !== undefined) process.execPath = SEXTANT_TEST_NODE;

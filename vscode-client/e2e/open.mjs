// open.mjs FOLDER: a web workbench on loopback with a copy of the folder, until Ctrl+C.
import { once } from 'node:events';
import { serve } from './serve.mjs';

const folder = process.argv[2];
if (folder === undefined) throw new Error('usage: open.mjs FOLDER');
const served = await serve(folder);
console.log(`\n  ${served.url}\n\nCtrl+C stops it.`);
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
await served.stop();

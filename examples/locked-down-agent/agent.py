"""A small data-analysis agent: answers questions about loan applications by writing and running Python."""

import json
import os
import subprocess
import sys

from openai import OpenAI

SYSTEM_PROMPT = """You answer questions about loan applications by writing Python scripts and running them.
The data is in /data/loans.csv with the columns application_id, purpose, amount, term_months, annual_income,
credit_score and defaulted (1 when the loan was not paid back, else 0). pandas is installed.
Print what you need to know, then answer in one sentence."""

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "run_python",
            "description": "Runs a Python script and returns what it prints.",
            "parameters": {
                "type": "object",
                "properties": {"code": {"type": "string", "description": "The script."}},
                "required": ["code"],
            },
        },
    }
]

client = OpenAI(
    base_url=f"https://{os.environ['API_HOST']}/v1/router",
    api_key=os.environ[os.environ["KEY_SECRET"]],
    default_headers={"X-Slate-Env-Id": os.environ["ENVIRONMENT_ID"]},
)


def run_python(code):
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    output = (result.stdout + result.stderr).strip()
    return output or "The script printed nothing. Use print() to show results."


def main(question):
    print(f"Question: {question}\n")
    messages = [{"role": "system", "content": SYSTEM_PROMPT}, {"role": "user", "content": question}]
    for _ in range(8):
        response = client.chat.completions.create(
            model=os.environ["MODEL"], messages=messages, tools=TOOLS, temperature=0
        )
        message = response.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            print(f"\nAnswer: {message.content}")
            return
        for call in message.tool_calls:
            code = json.loads(call.function.arguments)["code"]
            output = run_python(code)
            print(f"--- ran {len(code.splitlines())} lines of Python")
            print(output[:500])
            messages.append({"role": "tool", "tool_call_id": call.id, "content": output})
    sys.exit("The model gave no answer in 8 rounds.")


main(sys.argv[1])
